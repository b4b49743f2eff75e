// What is shown, as files: the picture with its plots, and the numbers of the plots.

/** Name of a file: the heading, without what file systems do not take. */
function fileName(ending) {
  const words = document.title.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^[_.]+|_+$/g, "");
  return `${words.slice(0, 60) || "run"}${ending}`;
}

function saveAs(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A cell of a table that is text: in quotes where it has to be. */
function cell(text) {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Times as one writes them, so that rounding errors do not tell two runs apart. */
function written(t) {
  return Number(t.toFixed(9));
}

/**
 * Times that all lines have a row at, but for those that have not begun or are over; all times of
 * all lines where they never meet.
 */
function commonTimes(lines) {
  const kinds = [...new Set(lines.map((line) => line.times))].map((times) => ({
    ...{ first: written(times[0]), last: written(times[times.length - 1]) },
    rows: new Set(Array.from(times, written)),
  }));
  const all = [...new Set(kinds.flatMap(({ rows }) => [...rows]))].sort((a, b) => a - b);
  const fits = (t) => kinds.every(({ first, last, rows }) => t < first || t > last || rows.has(t));
  const common = all.filter(fits);
  return common.length > 1 ? common : all;
}

/** The lines of all plots as a table, with a row for each time that they share. */
function table() {
  const lines = [...new Map(charts.flatMap((chart) => chart.lines).map((line) => [line.key, line])).values()];
  const times = commonTimes(lines);
  const header = ["time (s)", ...lines.map(({ key, unit }) => (unit ? `${key} (${unit})` : key))];
  const places = lines.map(() => 0);
  const rows = times.map((t) => {
    const numbers = lines.map((line, k) => {
      while (written(line.times[places[k]] ?? Infinity) < t) places[k]++;
      if (written(line.times[places[k]] ?? Infinity) !== t) return "";
      const value = line.values[places[k]];
      return Number.isFinite(value) ? line.written(value) : "";
    });
    return [t, ...numbers].join(",");
  });
  return [header.map(cell).join(","), ...rows].join("\r\n") + "\r\n";
}

/** Height of the lines of text above the picture and above each plot, pixels. */
const TEXT = { title: 52, plot: 40, legend: 26, gap: 24 };

/** The stage and the plots below it, with their words, on a canvas twice as fine as the page. */
function picture() {
  const boxes = charts.map(({ box }) => box.getBoundingClientRect());
  const columns = new Set(boxes.map((box) => box.left)).size;
  const rows = Math.ceil(charts.length / columns);
  const [width, high] = [camera.width, Math.max(...boxes.map((box) => box.height))];
  const canvas = document.createElement("canvas");
  const ink = canvas.getContext("2d");
  const keys = keyLines(ink, width);
  const below = TEXT.title + camera.height + TEXT.legend + (keys.length - 1) * KEY_LINE;
  const height = below + rows * (TEXT.plot + high) + 12;
  const ratio = Math.max(2, window.devicePixelRatio || 1);
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  ink.scale(ratio, ratio);
  ink.fillStyle = colour.page;
  ink.fillRect(0, 0, width, height);
  writeLine(ink, `600 17px`, colour.text, document.title, 14, 33, width - 150);
  ink.textAlign = "right";
  writeLine(ink, "14px", colour.quiet, `t = ${now.toFixed(decimals)} s`, width - 14, 33, 140);
  drawStageOn(ink);
  drawKeys(ink, keys, TEXT.title + camera.height + 18);
  charts.forEach((chart, k) => {
    const left = (k % columns) * (boxes[0].width + TEXT.gap) + (width - totalWidth(boxes, columns)) / 2;
    drawChartOn(ink, chart, left, below + Math.floor(k / columns) * (TEXT.plot + high), boxes[k]);
  });
  return canvas;
}

function totalWidth(boxes, columns) {
  return columns * boxes[0].width + (columns - 1) * TEXT.gap;
}

function writeLine(ink, font, paint, words, x, y, width) {
  ink.font = `${font} system-ui, sans-serif`;
  ink.fillStyle = paint;
  ink.textBaseline = "alphabetic";
  ink.fillText(words, x, y, width);
  ink.textAlign = "left";
}

function drawStageOn(ink) {
  const shownOn = pen;
  ink.save();
  ink.translate(0, TEXT.title);
  ink.beginPath();
  ink.rect(0, 0, camera.width, camera.height);
  ink.clip();
  pen = ink;
  drawScene(now);
  pen = shownOn;
  ink.restore();
}

/** A plot with its heading, its values now and the cursor. */
function drawChartOn(ink, chart, left, top, { width, height }) {
  ink.save();
  ink.translate(left, top);
  writeLine(ink, "600 12px", colour.text, chart.title, 0, 14, width);
  let x = 0;
  const spoken = chart.spoken.map((line) => [line.paint(), chart.worded(line, now)]);
  if (!spoken.length) spoken.push([colour.quiet, chart.rangeAt(now)]);
  for (const [paint, words] of spoken) {
    ink.fillStyle = paint;
    ink.fillRect(x, 25, 10, 3);
    writeLine(ink, "11px", colour.quiet, words, x + 14, 31, Math.max(width - x - 14, 1));
    x += 14 + ink.measureText(words).width + 12;
    if (x > width - 40) break;
  }
  ink.translate(0, TEXT.plot);
  chart.drawOn(ink, width);
  ink.fillStyle = colour.text;
  ink.fillRect(chart.across(now) - 0.75, 0, 1.5, height - MARGIN.bottom);
  ink.restore();
}

document.getElementById("save-numbers").addEventListener("click", () => {
  saveAs(new Blob([table()], { type: "text/csv" }), fileName(".csv"));
});
document.getElementById("save-picture").addEventListener("click", () => {
  picture().toBlob((blob) => saveAs(blob, fileName(`-${now.toFixed(decimals)}s.png`)), "image/png");
});
