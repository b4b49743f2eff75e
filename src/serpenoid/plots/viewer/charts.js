// Plots over time with a cursor that shows, and sets, the time.

const MARGIN = { left: 46, right: 10, top: 8, bottom: 22 };
/** Values of more lines than these are not written out one by one. */
const MOST_VALUES = 7;
const PALE = 0.3;

/** A plot of what is chosen, in a figure of the page. */
class Chart {
  constructor(choice) {
    this.figure = document.getElementById("chart-template").content.firstElementChild.cloneNode(true);
    const part = (name) => this.figure.querySelector(name);
    this.box = part(".chart");
    this.canvas = part("canvas");
    this.cursor = part(".cursor");
    this.button = part(".signal");
    this.values = part(".values");
    this.remove = part(".remove");
    this.pen = this.canvas.getContext("2d");
    this.button.addEventListener("click", () => openChooser(this));
    this.remove.addEventListener("click", () => removeChart(this));
    this.box.addEventListener("pointerdown", (event) => {
      this.box.setPointerCapture(event.pointerId);
      scrub(this.timeAt(event));
    });
    this.box.addEventListener("pointermove", (event) => {
      if (this.box.hasPointerCapture(event.pointerId)) scrub(this.timeAt(event));
    });
    this.choose(choice);
  }

  /** Plot something else. */
  choose(choice) {
    this.choice = choice;
    const { label, meaning, unit } = variables.get(choice.name);
    const words = label + wordsOf(choice);
    this.title = unit ? `${words}, ${unit}` : words;
    this.button.setAttribute("aria-label", this.title);
    this.button.querySelector(".name").textContent = words;
    this.button.querySelector(".unit").textContent = unit;
    this.button.title = `${this.title}: ${meaning} (choose another signal)`;
    this.remove.setAttribute("aria-label", `Remove the plot of: ${words}`);
    this.canvas.setAttribute("aria-label", `${words}, over time`);
    this.update();
  }

  /** Take the lines anew: of another choice, or another chosen link. */
  update() {
    this.lines = linesOf(this.choice);
    this.marked = this.lines.some((line) => line.stands) && this.lines.some((line) => !line.stands);
    const finite = this.lines.map((line) => line.values.filter(Number.isFinite));
    const some = finite.filter((values) => values.length);
    this.low = Math.min(...some.map((values) => extreme(values, Math.min)), Infinity);
    this.high = Math.max(...some.map((values) => extreme(values, Math.max)), -Infinity);
    if (!some.length) [this.low, this.high] = [0, 1];
    // Zero is shown unless that would squeeze the lines.
    const room = this.high - this.low;
    if (this.low > 0 && this.low <= 2 * room) this.low = 0;
    if (this.high < 0 && -this.high <= 2 * room) this.high = 0;
    if (this.low === this.high) [this.low, this.high] = around(this.low);
    const largest = Math.max(this.high, -this.low);
    this.decimals = clamp(2 - Math.floor(Math.log10(largest / 3)), 0, 9);
    const spoken = this.lines.filter((line) => line.stands || !this.marked);
    this.spoken = spoken.length > MOST_VALUES ? [] : spoken;
    this.values.replaceChildren(...this.spoken.map((line) => this.addOutput(line)));
    if (!this.spoken.length) this.values.append((this.range = document.createElement("span")));
  }

  /** Place below the heading for the name of a line and its value now. */
  addOutput(line) {
    const entry = document.createElement("span");
    line.swatch = document.createElement("i");
    line.output = document.createElement("span");
    line.swatch.style.background = line.paint();
    entry.append(line.swatch, line.output);
    return entry;
  }

  timeAt(event) {
    const x = event.clientX - this.box.getBoundingClientRect().left - MARGIN.left;
    return firstTime + clamp(x / this.plotWidth, 0, 1) * (lastTime - firstTime);
  }

  across(t) {
    return MARGIN.left + ((t - firstTime) / (lastTime - firstTime || 1)) * this.plotWidth;
  }

  up(value) {
    const part = (value - this.low) / (this.high - this.low);
    return MARGIN.top + (1 - part) * this.plotHeight;
  }

  /** Everything that does not move with time. */
  draw() {
    const { width, height } = this.box.getBoundingClientRect();
    this.plotWidth = Math.max(width - MARGIN.left - MARGIN.right, 1);
    this.plotHeight = Math.max(height - MARGIN.top - MARGIN.bottom, 1);
    this.cursor.style.height = `${height - MARGIN.bottom}px`;
    fitCanvas(this.canvas, this.pen, width, height);
    this.pen.clearRect(0, 0, width, height);
    this.drawOn(this.pen, width);
    for (const { swatch, paint } of this.spoken) swatch.style.background = paint();
  }

  drawOn(ink, width) {
    ink.font = "11px system-ui, sans-serif";
    this.drawTicks(ink, width);
    if (!this.lines.length) this.drawNothing(ink);
    // Those that stand out are drawn last.
    for (const line of this.lines) if (!line.stands) this.drawLine(ink, line);
    for (const line of this.lines) if (line.stands) this.drawLine(ink, line);
    ink.globalAlpha = 1;
  }

  drawNothing(ink) {
    ink.fillStyle = colour.quiet;
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    const chosen = this.choice.entries === "chosen" && Number.isNaN(chosenLink);
    const words = chosen ? "choose a link: click on it, or take it from the list" : "nothing recorded";
    ink.fillText(words, MARGIN.left + this.plotWidth / 2, MARGIN.top + this.plotHeight / 2);
  }

  drawTicks(ink, width) {
    ink.fillStyle = colour.quiet;
    ink.lineWidth = 1;
    ink.textAlign = "right";
    ink.textBaseline = "middle";
    const rise = roundNumber((2 * (this.high - this.low)) / Math.max(this.plotHeight / 24, 2));
    for (let k = Math.ceil(this.low / rise); k * rise <= this.high; k++) {
      const y = Math.round(this.up(k * rise)) + 0.5;
      ink.strokeStyle = k === 0 ? colour.quiet : colour.grid;
      ink.beginPath();
      ink.moveTo(MARGIN.left, y);
      ink.lineTo(width - MARGIN.right, y);
      ink.stroke();
      ink.fillText(axisWords(k * rise), MARGIN.left - 7, y);
    }
    ink.textBaseline = "top";
    ink.textAlign = "center";
    const pause = roundNumber((2 * (lastTime - firstTime || 1)) / Math.max(this.plotWidth / 60, 2));
    const y = MARGIN.top + this.plotHeight;
    for (let k = Math.ceil(firstTime / pause); k * pause <= lastTime + 1e-9; k++) {
      const x = this.across(k * pause);
      const last = (k + 1) * pause > lastTime + 1e-9;
      ink.fillText(plain(k * pause) + (last ? " s" : ""), Math.min(x, width - 14), y + 7);
      ink.strokeStyle = colour.line;
      ink.beginPath();
      ink.moveTo(Math.round(x) + 0.5, y);
      ink.lineTo(Math.round(x) + 0.5, y + 4);
      ink.stroke();
    }
  }

  /** A line through all rows; where many share a pixel, from the lowest to the highest. */
  drawLine(ink, { times, values, paint, stands }) {
    const rows = values.length;
    const group = Math.max(1, Math.floor(rows / this.plotWidth / 2));
    ink.beginPath();
    for (let start = 0; start < rows; start += group) {
      const some = values.subarray(start, start + group).filter(Number.isFinite);
      if (!some.length) continue;
      const x = this.across(times[start]);
      ink.lineTo(x, this.up(extreme(some, Math.min)));
      ink.lineTo(x, this.up(extreme(some, Math.max)));
    }
    if (Number.isFinite(values[rows - 1])) {
      ink.lineTo(this.across(times[rows - 1]), this.up(values[rows - 1]));
    }
    ink.globalAlpha = this.marked && !stands ? PALE : 1;
    ink.strokeStyle = paint();
    ink.lineWidth = this.marked && stands ? 2.4 : 1.6;
    ink.lineJoin = "round";
    ink.stroke();
  }

  /** Move the cursor and write the values at a time. */
  show(t) {
    this.cursor.style.transform = `translateX(${this.across(t)}px)`;
    for (const line of this.spoken) line.output.textContent = this.worded(line, t);
    if (!this.spoken.length) this.range.textContent = this.rangeAt(t);
  }

  /** Name of a line, its value at a time and the unit, or that its run is over. */
  worded({ run, name, unit, ...line }, t) {
    const rest = run.restAt(t);
    return [name, ...(rest ? [rest] : [this.written(valueAt(line, t)), unit])].filter(Boolean).join(" ");
  }

  /** From where to where the values of all lines are. */
  rangeAt(t) {
    const moving = this.lines.filter(({ run }) => !run.restAt(t));
    const all = moving.map((line) => valueAt(line, t)).filter(Number.isFinite);
    if (!all.length) return "no values";
    const [low, high] = [Math.min(...all), Math.max(...all)].map((value) => this.written(value));
    return `${moving.length} lines from ${low} to ${high} ${this.lines[0].unit}`;
  }

  written(value) {
    return Number.isFinite(value) ? minus(value.toFixed(this.decimals)) : "–";
  }
}

function valueAt({ times, values }, t) {
  return between(values, 1, 0, locateIn(times, t));
}

/** Bounds around a value that never changes. */
function around(value) {
  if (value === 0) return [0, 1];
  return value > 0 ? [0, 1.25 * value] : [1.25 * value, 0];
}

/** A number beside an axis, short. */
function axisWords(value) {
  const small = value !== 0 && Math.abs(value) < 1e-3;
  return minus(small ? value.toExponential(0).replace("e-", "e−") : plain(value));
}
