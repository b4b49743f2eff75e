// Numbers: out of the page, round ones, and in writing.

const TYPES = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};

/** Numbers from base64 text; whole numbers are multiples of a step. */
function decode({ type, step, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const values = new TYPES[type](bytes.buffer);
  return step === 1 ? values : Float64Array.from(values, (value) => value * step);
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

function extreme(values, choose) {
  return values.reduce((one, other) => choose(one, other), values[0]);
}

/** The place in ascending times at or before t, and how far it is to the next one, 0 to 1. */
function locateIn(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    // A recorded time typed in by hand means that very frame.
    if (times[middle] <= t + 1e-6) low = middle;
    else high = middle - 1;
  }
  const gap = low + 1 < times.length ? times[low + 1] - times[low] : 1;
  const part = Math.max(t - times[low], 0) / gap;
  return { frame: low, part: part * gap < 1e-6 || low + 1 === times.length ? 0 : part };
}

/** A value of the k-th column of an array with `width` columns, between two frames. */
function between(array, width, k, { frame, part }) {
  const before = array[frame * width + k];
  return part === 0 ? before : before + part * (array[(frame + 1) * width + k] - before);
}

/** The k-th column of an array with `width` columns. */
function column(array, width, k) {
  return Float64Array.from({ length: array.length / width }, (_, row) => array[row * width + k]);
}

/** The largest of 1, 2 and 5 times a power of ten that is not above a value. */
function roundNumber(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** A round number without the digits of rounding errors. */
function plain(value) {
  return String(Number(value.toPrecision(6)));
}

/** A number in writing with a true minus sign, and none at zero. */
function minus(text) {
  return text.replace("-", Number(text) === 0 ? "" : "−");
}

function lengthWords(metres) {
  if (metres >= 0.995) return `${plain(metres)} m`;
  return metres >= 0.00995 ? `${plain(100 * metres)} cm` : `${plain(1000 * metres)} mm`;
}

/** A colour between two of the style sheet, #rrggbb; part: how much of the second, 0 to 1. */
function mix(one, other, part) {
  const channel = (text, k) => parseInt(text.slice(k, k + 2), 16);
  const mixed = [1, 3, 5].map((k) => channel(one, k) * (1 - part) + channel(other, k) * part);
  return "#" + mixed.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("");
}
