// The keys to colours that the page shows, drawn on a saved picture.

/** Height of a line of keys, pixels. */
const KEY_LINE = 20;

/** Lines of keys that fit a width: of each key its item, words and place across. */
function keyLines(ink, width) {
  const lines = [[]];
  let x = 14;
  ink.font = "12px system-ui, sans-serif";
  for (const item of document.querySelectorAll(".legend li:not([hidden])")) {
    const words = item.innerText.trim();
    const wide = Math.min(24 + ink.measureText(words).width, width - 28);
    if (x + wide > width - 14 && lines.at(-1).length) {
      lines.push([]);
      x = 14;
    }
    lines.at(-1).push({ item, words, x, room: wide - 24 });
    x += wide + 18;
  }
  return lines;
}

function drawKeys(ink, lines, top) {
  lines.forEach((line, k) => {
    const y = top + k * KEY_LINE;
    for (const { item, words, x, room } of line) {
      drawSwatch(ink, item.querySelector("i"), x, y - 4);
      writeLine(ink, "12px", colour.quiet, words, x + 24, y, Math.max(room, 1));
    }
  });
}

/** A swatch as on the page; (x, y): the middle of its left side. */
function drawSwatch(ink, swatch, x, y) {
  const style = getComputedStyle(swatch);
  const is = (name) => swatch.classList.contains(name);
  ink.save();
  ink.translate(x, y);
  if (is("arrow")) drawKeyArrow(ink, style.color, is("friction") && compared);
  else if (is("slope")) {
    ink.translate(9, 0);
    ink.rotate((-runs[0].data.slope.direction * Math.PI) / 180);
    ink.translate(-9, 0);
    drawKeyArrow(ink, style.color, false);
  } else if (is("trail") || is("leg")) drawKeyLine(ink, style.borderTopColor, is("trail"));
  else drawKeyBox(ink, swatch, style);
  ink.restore();
}

function drawKeyArrow(ink, paint, hollow) {
  const shownOn = pen;
  pen = ink;
  drawArrow(0, 0, 0, 18, hollow ? colour.page : paint, hollow ? paint : colour.page);
  pen = shownOn;
}

function drawKeyLine(ink, paint, dotted) {
  ink.strokeStyle = paint;
  ink.lineWidth = 2;
  ink.lineCap = dotted ? "round" : "butt";
  ink.setLineDash(dotted ? [0.1, 4] : [5, 3]);
  ink.beginPath();
  ink.moveTo(1, 0);
  ink.lineTo(18, 0);
  ink.stroke();
}

/** Links, loads, wheels and waypoints: boxes, of which those of heads are half filled. */
function drawKeyBox(ink, swatch, style) {
  const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
  const line = parseFloat(style.borderTopWidth);
  ink.beginPath();
  const box = [line / 2, (line - height) / 2, width - line, height - line];
  ink.roundRect(...box, Math.min(parseFloat(style.borderTopLeftRadius) || 0, height / 2));
  ink.fillStyle = style.backgroundColor;
  ink.fill();
  if (swatch.classList.contains("head")) {
    ink.save();
    ink.clip();
    ink.fillStyle = compared ? colour.page : colour.slip;
    ink.fillRect(0, -height, width, 2 * height);
    ink.fillStyle = compared ? colour.quiet : colour.head;
    ink.fillRect(0.55 * width, -height, width, 2 * height);
    ink.restore();
  }
  ink.strokeStyle = style.borderTopColor;
  ink.lineWidth = line;
  ink.stroke();
}
