// Plots over time with a cursor that shows, and sets, the time.

const MARGIN = { left: 46, right: 10, top: 8, bottom: 22 };

/** A plot of lines [{name, values, paint}] in a box; scrub(t) is called where it is clicked. */
class Chart {
  constructor(box, lines, unit, scrub) {
    this.box = box;
    this.lines = lines;
    this.unit = unit;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${box.dataset.words}, over time`);
    this.pen = this.canvas.getContext("2d");
    this.cursor = document.createElement("div");
    this.cursor.className = "cursor";
    box.append(this.canvas, this.cursor);
    this.values = box.parentElement.querySelector(".values");
    this.outputs = lines.map((line) => this.addOutput(line));
    this.low = Math.min(0, ...lines.map((line) => extreme(line.values, Math.min)));
    this.high = Math.max(0, ...lines.map((line) => extreme(line.values, Math.max)));
    if (this.low === this.high) this.high = 1;
    const largest = Math.max(this.high, -this.low);
    this.decimals = clamp(2 - Math.floor(Math.log10(largest / 3)), 0, 9);
    box.addEventListener("pointerdown", (event) => {
      box.setPointerCapture(event.pointerId);
      scrub(this.timeAt(event));
    });
    box.addEventListener("pointermove", (event) => {
      if (box.hasPointerCapture(event.pointerId)) scrub(this.timeAt(event));
    });
  }

  /** Place beside the heading for the name of a line and its value now. */
  addOutput(line) {
    const entry = document.createElement("span");
    line.swatch = document.createElement("i");
    const words = document.createElement("span");
    entry.append(line.swatch, words);
    this.values.append(entry);
    return words;
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
    this.pen.font = "11px system-ui, sans-serif";
    this.drawTicks(width);
    for (const line of this.lines) this.drawLine(line);
  }

  drawTicks(width) {
    const pen = this.pen;
    pen.fillStyle = colour.quiet;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const rise = roundNumber((2 * (this.high - this.low)) / Math.max(this.plotHeight / 24, 2));
    for (let k = Math.ceil(this.low / rise); k * rise <= this.high; k++) {
      const y = Math.round(this.up(k * rise)) + 0.5;
      pen.strokeStyle = k === 0 ? colour.quiet : colour.grid;
      pen.beginPath();
      pen.moveTo(MARGIN.left, y);
      pen.lineTo(width - MARGIN.right, y);
      pen.stroke();
      pen.fillText(minus(plain(k * rise)), MARGIN.left - 7, y);
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const pause = roundNumber((2 * (lastTime - firstTime || 1)) / Math.max(this.plotWidth / 60, 2));
    const y = MARGIN.top + this.plotHeight;
    for (let k = Math.ceil(firstTime / pause); k * pause <= lastTime + 1e-9; k++) {
      const x = this.across(k * pause);
      const last = (k + 1) * pause > lastTime + 1e-9;
      pen.fillText(plain(k * pause) + (last ? " s" : ""), Math.min(x, width - 14), y + 7);
      pen.strokeStyle = colour.line;
      pen.beginPath();
      pen.moveTo(Math.round(x) + 0.5, y);
      pen.lineTo(Math.round(x) + 0.5, y + 4);
      pen.stroke();
    }
  }

  /** A line through all frames; where many share a pixel, from the lowest to the highest. */
  drawLine({ values, paint, swatch }) {
    const pen = this.pen;
    const group = Math.max(1, Math.floor(frames / this.plotWidth / 2));
    swatch.style.background = colour[paint];
    pen.beginPath();
    for (let start = 0; start < frames; start += group) {
      const some = values.subarray(start, start + group);
      const x = this.across(time[start]);
      pen.lineTo(x, this.up(extreme(some, Math.min)));
      pen.lineTo(x, this.up(extreme(some, Math.max)));
    }
    pen.lineTo(this.across(lastTime), this.up(values[frames - 1]));
    pen.strokeStyle = colour[paint];
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.stroke();
  }

  /** Move the cursor and write the values at a place in time. */
  show(t, place) {
    this.cursor.style.transform = `translateX(${this.across(t)}px)`;
    this.lines.forEach(({ name, values }, k) => {
      const value = between(values, 1, 0, place);
      this.outputs[k].textContent = `${name} ${minus(value.toFixed(this.decimals))} ${this.unit}`;
    });
  }
}

function extreme(values, choose) {
  return values.reduce((one, other) => choose(one, other), values[0]);
}

/** A number in writing with a true minus sign, and none at zero. */
function minus(text) {
  return text.replace("-", Number(text) === 0 ? "" : "−");
}
