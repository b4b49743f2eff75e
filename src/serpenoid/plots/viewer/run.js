// Runs: decoded from the page, and the pose of each at any time.

/** One run; `data`: what the page says of it, in plain numbers. */
class Run {
  constructor(data, name, index) {
    this.data = data;
    this.name = name;
    this.index = index;
    this.time = decode(data.time);
    this.frames = this.time.length;
    this.links = data.radius.length;
    this.firstTime = this.time[0];
    this.lastTime = this.time[this.frames - 1];
    this.centre = decode(data.centre); // of mass, (frame, axis), m
    this.besideX = decode(data.x); // link centres beside the centre of mass, (frame, link), m
    this.besideY = decode(data.y);
    this.theta = decode(data.theta); // rad
    this.sticking = decode(data.sticking); // bits of the links, in whole bytes a frame
    this.contact = data.contact && decode(data.contact); // (frame, link, axis), N; null if none
    this.friction = data.friction && decode(data.friction);
    const loads = data.loads.length > 0;
    this.loadX = loads ? decode(data.load_x) : null; // centres, (frame, load), m
    this.loadY = loads ? decode(data.load_y) : null;
    this.loadTheta = loads ? decode(data.load_theta) : null; // rad
    this.loadContact = data.load_contact && decode(data.load_contact); // (frame, load, axis), N
    this.loadFriction = data.load_friction && decode(data.load_friction);
    this.moved = data.loads.map((_, k) => this.hasMoved(k));
    // Recorded contacts: those of frame k are first[k] to first[k + 1]; null if there are none.
    this.touches = data.touches && {
      first: decode(data.touches.first),
      points: decode(data.touches.points), // (contact, axis), m
      forces: decode(data.touches.forces), // (contact, axis), N
      friction: decode(data.touches.friction), // of terrain
      onLoads: decode(data.touches.on_loads), // 1 for forces on loads
    };
    this.pegs = decode(data.pegs); // x, y, radius of one after the other, m
    this.walls = data.walls.map(decode); // x, y of one point after the other, m
    this.terrain = decode(data.terrain); // the same, from left to right; empty without terrain
    const { pegs, walls, terrain, grounds, patches, waypoints, legs } = data;
    // The same text for worlds that look the same.
    this.world = JSON.stringify([pegs, walls, terrain, grounds, patches, waypoints, legs]);
    this.guided = data.legs.length > 0; // along a path
    this.bodyLength = data.length.reduce((sum, length) => sum + length, 0);
  }

  /** Where a time is among the frames; before the first and after the last it is these. */
  locate(t) {
    return locateIn(this.time, t);
  }

  /** What a run does at a time when it does not move: "over", "not begun"; else nothing. */
  restAt(t) {
    if (t > this.lastTime + 1e-6) return "over";
    return t < this.firstTime - 1e-6 ? "not begun" : "";
  }

  centreAt(place) {
    return [between(this.centre, 2, 0, place), between(this.centre, 2, 1, place)];
  }

  /** Centres (m) and angles (rad) of all links, tail first: as recorded, or between two frames. */
  poseAt(place) {
    const [x, y] = this.centreAt(place);
    const pose = { x: [], y: [], theta: [] };
    for (let k = 0; k < this.links; k++) {
      pose.x.push(x + between(this.besideX, this.links, k, place));
      pose.y.push(y + between(this.besideY, this.links, k, place));
      pose.theta.push(between(this.theta, this.links, k, place));
    }
    return pose;
  }

  /** The same of the loads. */
  loadsAt(place) {
    const pose = { x: [], y: [], theta: [] };
    const count = this.data.loads.length;
    for (let k = 0; k < count; k++) {
      pose.x.push(between(this.loadX, count, k, place));
      pose.y.push(between(this.loadY, count, k, place));
      pose.theta.push(between(this.loadTheta, count, k, place));
    }
    return pose;
  }

  /** Whether ground friction holds link k in a frame. */
  isHeld(k, frame) {
    return (this.sticking[frame * Math.ceil(this.links / 8) + (k >> 3)] >> (7 - (k & 7))) & 1;
  }

  /** The same in the frame nearest to a place in time. */
  sticks(k, { frame, part }) {
    return this.isHeld(k, part > 0.5 ? frame + 1 : frame);
  }

  /** Whether load k ever leaves its place by more than what can be seen. */
  hasMoved(k) {
    const count = this.data.loads.length;
    const [x, y] = [this.loadX, this.loadY];
    for (let at = k; at < this.frames * count; at += count) {
      if (Math.hypot(x[at] - x[k], y[at] - y[k]) > 1e-3) return true;
    }
    return false;
  }
}

/** Force on link or load k of `count`, N. A frame holds the mean since the frame before it. */
function forceOn(k, count, forces, { frame, part }) {
  const start = 2 * ((part > 0 ? frame + 1 : frame) * count + k);
  return [forces[start], forces[start + 1]];
}

const content = JSON.parse(document.getElementById("run").textContent);
const runs = content.runs.map((data, k) => new Run(data, content.names[k], k));
const compared = runs.length > 1;
const side = runs[0].data.side; // all are seen from above, or all from the side
const firstTime = Math.min(...runs.map((run) => run.firstTime));
const lastTime = Math.max(...runs.map((run) => run.lastTime));
// Frames of the page: those of all runs.
const time = [...new Set(runs.flatMap((run) => [...run.time]))].sort((a, b) => a - b);
const frames = time.length;
const bodyLength = Math.max(...runs.map((run) => run.bodyLength));
// One scale of arrows for all runs, m/N: the middle one of theirs.
const REACHES = [
  ["contact", "loadContact", "contact_reach"],
  ["friction", "loadFriction", "friction_reach"],
];
const reach = {};
for (const [kind, onLoads, name] of REACHES) {
  const acting = runs.filter((run) => run[kind] || run[onLoads]);
  const reaches = (acting.length ? acting : runs).map((run) => run.data[name]);
  reach[kind] = reaches.sort((a, b) => a - b)[reaches.length >> 1];
}

function nearestFrame(t) {
  const { frame, part } = locateIn(time, t);
  return part > 0.5 ? frame + 1 : frame;
}
