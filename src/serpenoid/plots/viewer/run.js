// The run: decoded from the page, and the pose at any time.

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

const run = JSON.parse(document.getElementById("run").textContent);
const time = decode(run.time);
const frames = time.length;
const links = run.radius.length;
const firstTime = time[0];
const lastTime = time[frames - 1];
const centre = decode(run.centre); // of mass, (frame, axis), m
const besideX = decode(run.x); // link centres beside the centre of mass, (frame, link), m
const besideY = decode(run.y);
const theta = decode(run.theta); // rad
const sticking = decode(run.sticking); // bits of the links, in whole bytes a frame
const contactForce = run.contact && decode(run.contact); // (frame, link, axis), N; null if none
const frictionForce = run.friction && decode(run.friction);
const loadX = run.loads.length ? decode(run.load_x) : null; // centres, (frame, load), m
const loadY = run.loads.length ? decode(run.load_y) : null;
const loadTheta = run.loads.length ? decode(run.load_theta) : null; // rad
const loadContact = run.load_contact && decode(run.load_contact); // (frame, load, axis), N
const loadFriction = run.load_friction && decode(run.load_friction);
// Recorded contacts: those of frame k are first[k] to first[k + 1]; null if there are none.
const touches = run.touches && {
  first: decode(run.touches.first),
  points: decode(run.touches.points), // (contact, axis), m
  forces: decode(run.touches.forces), // (contact, axis), N
  friction: decode(run.touches.friction), // of terrain
  onLoads: decode(run.touches.on_loads), // 1 for forces on loads
};
const pegs = decode(run.pegs); // x, y, radius of one after the other, m
const walls = run.walls.map(decode); // x, y of one point after the other, m
const terrain = decode(run.terrain); // the same, from left to right; empty without terrain
const springTorque = run.spring && decode(run.spring); // (frame, joint), N m; null without springs
const guided = run.legs.length > 0; // along a path
const bodyLength = run.length.reduce((sum, length) => sum + length, 0);

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** The frame at or before time t, and how far it is to the next one, 0 to 1. */
function locate(t) {
  let low = 0;
  let high = frames - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    // A recorded time typed in by hand means that very frame.
    if (time[middle] <= t + 1e-6) low = middle;
    else high = middle - 1;
  }
  const gap = low + 1 < frames ? time[low + 1] - time[low] : 1;
  const part = (t - time[low]) / gap;
  return { frame: low, part: part * gap < 1e-6 || low + 1 === frames ? 0 : part };
}

function nearestFrame(t) {
  const { frame, part } = locate(t);
  return part > 0.5 ? frame + 1 : frame;
}

/** A value of the k-th column of an array with `width` columns, between two frames. */
function between(array, width, k, { frame, part }) {
  const before = array[frame * width + k];
  return part === 0 ? before : before + part * (array[(frame + 1) * width + k] - before);
}

function centreAt(place) {
  return [between(centre, 2, 0, place), between(centre, 2, 1, place)];
}

/** Centres (m) and angles (rad) of all links, tail first: as recorded, or between two frames. */
function poseAt(place) {
  const [x, y] = centreAt(place);
  const pose = { x: [], y: [], theta: [] };
  for (let k = 0; k < links; k++) {
    pose.x.push(x + between(besideX, links, k, place));
    pose.y.push(y + between(besideY, links, k, place));
    pose.theta.push(between(theta, links, k, place));
  }
  return pose;
}

/** The same of the loads. */
function loadsAt(place) {
  const pose = { x: [], y: [], theta: [] };
  run.loads.forEach((_, k) => {
    pose.x.push(between(loadX, run.loads.length, k, place));
    pose.y.push(between(loadY, run.loads.length, k, place));
    pose.theta.push(between(loadTheta, run.loads.length, k, place));
  });
  return pose;
}

/** Whether ground friction holds link k in the frame nearest to a place in time. */
function sticks(k, { frame, part }) {
  const row = (part > 0.5 ? frame + 1 : frame) * Math.ceil(links / 8);
  return (sticking[row + (k >> 3)] >> (7 - (k & 7))) & 1;
}

/** Force on link or load k of `count`, N. A frame holds the mean since the frame before it. */
function forceOn(k, count, forces, { frame, part }) {
  const start = 2 * ((part > 0 ? frame + 1 : frame) * count + k);
  return [forces[start], forces[start + 1]];
}

/** The largest of 1, 2 and 5 times a power of ten that is not above a value. */
function roundNumber(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}
