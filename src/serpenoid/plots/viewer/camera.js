// The view on the plane: where it looks, how near, and the gestures that change it.

const stage = document.getElementById("stage");
const followButton = document.getElementById("follow");

/**
 * Middle of the view (m), scale (pixels per metre), whether it follows the robot, size (pixels),
 * and whether it was changed by hand, so that it stays as it is when the window changes.
 */
const camera = { x: 0, y: 0, scale: 100, follow: false, width: 0, height: 0, touched: false };

/** Whether every run of several has a picture of its own. */
let apart = false;

/**
 * Pictures on the stage: box (pixels), middle (m) and the runs drawn there. `pane` is the one that
 * is being drawn.
 */
let panes = [];
let pane = null;

function toScreen(x, y) {
  return [
    pane.left + pane.width / 2 + (x - pane.x) * camera.scale,
    pane.top + pane.height / 2 - (y - pane.y) * camera.scale,
  ];
}

/** The point of the plane under a point of the stage, m. */
function toPlane(px, py, { left, top, width, height, x, y }) {
  return [
    x + (px - left - width / 2) / camera.scale,
    y - (py - top - height / 2) / camera.scale,
  ];
}

/** Box around the paths of all runs, m. */
const EXTENT = [Math.min, Math.min, Math.max, Math.max].map((choose, k) =>
  choose(...runs.map((run) => run.data.extent[k])),
);

/** The scale at which all paths fit into a box of this size, below the legend. */
function scaleIn(width, height) {
  const [left, bottom, right, top] = EXTENT;
  return Math.max(Math.min((width - 40) / (right - left), (height - 90) / (top - bottom)), 1e-6);
}

/** Least size of the pictures side by side, pixels. */
const [NARROWEST, LOWEST] = [170, 150];

/** Let the stage grow where its pictures would be too low. */
function makeRoom() {
  const columns = Math.max(1, Math.floor(stage.parentElement.clientWidth / NARROWEST));
  const rows = apart ? Math.ceil(runs.length / columns) : 0;
  stage.parentElement.style.minHeight = `${rows * LOWEST}px`;
}

/** Divide the stage among the runs: into as many columns as make the robots largest. */
function layOutPanes() {
  const groups = apart ? runs.map((run) => [run]) : [runs];
  const fits = groups.map((_, k) => {
    const rows = Math.ceil(groups.length / (k + 1));
    return scaleIn(camera.width / (k + 1), camera.height / rows);
  });
  // Names and scales need some width.
  const most = Math.max(1, Math.floor(camera.width / NARROWEST));
  const columns = fits.indexOf(Math.max(...fits.slice(0, most))) + 1;
  const [width, height] = [
    camera.width / columns,
    camera.height / Math.ceil(groups.length / columns),
  ];
  panes = groups.map((group, k) => ({
    ...{ left: (k % columns) * width, top: Math.floor(k / columns) * height, width, height },
    ...{ x: camera.x, y: camera.y, runs: group },
  }));
}

/** Point every picture at the plane: at the middle of the view, or at the robots in it. */
function aim(t) {
  if (camera.follow) [camera.x, camera.y] = middleOf(runs, t);
  for (const each of panes) {
    [each.x, each.y] = camera.follow ? middleOf(each.runs, t) : [camera.x, camera.y];
  }
}

/** Mean of the centres of mass of some runs at a time, m. */
function middleOf(some, t) {
  const centres = some.map((run) => run.centreAt(run.locate(t)));
  return [0, 1].map((axis) => centres.reduce((sum, at) => sum + at[axis], 0) / some.length);
}

function paneAt(px, py) {
  const inside = ({ left, top, width, height }) =>
    px >= left && px < left + width && py >= top && py < top + height;
  return panes.find(inside) ?? panes[0];
}

function fittingScale() {
  return scaleIn(panes[0].width, panes[0].height);
}

function showAll() {
  const [left, bottom, right, top] = EXTENT;
  setFollow(false);
  camera.scale = fittingScale();
  camera.x = (left + right) / 2;
  camera.y = (bottom + top) / 2 + 10 / camera.scale;
  redraw();
}

/** The whole run, or, where the robot would become too small for that, the robot from near by. */
function firstView() {
  showAll();
  const { width, height } = panes[0];
  const least = apart ? Math.min(240, 0.5 * width) : 240;
  // Robots that part cannot all be followed in one picture.
  if (bodyLength * camera.scale < least && (apart || !compared)) {
    camera.scale = Math.min(0.8 * width, 0.95 * height) / bodyLength;
    setFollow(true);
  }
}

function setFollow(on) {
  camera.follow = on;
  followButton.setAttribute("aria-pressed", on);
  redraw();
}

function toggleFollow() {
  setFollow(!camera.follow);
  camera.touched = true;
}

/** Zoom by a factor; the point of the stage at (px, py), or its middle, stays where it is. */
function zoom(factor, px, py) {
  const least = Math.min(fittingScale() / 10, camera.scale);
  const most = Math.max((40 * camera.width) / bodyLength, camera.scale);
  const scale = clamp(camera.scale * factor, least, most);
  const shift = 1 / camera.scale - 1 / scale;
  if (!camera.follow && px !== undefined) {
    const { left, top, width, height } = paneAt(px, py);
    camera.x += (px - left - width / 2) * shift;
    camera.y -= (py - top - height / 2) * shift;
  }
  camera.scale = scale;
  camera.touched = true;
  redraw();
}

function pan(dx, dy) {
  setFollow(false);
  camera.x -= dx / camera.scale;
  camera.y += dy / camera.scale;
  camera.touched = true;
}

stage.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    // A trackpad's pinch arrives as a wheel with the control key, in smaller portions.
    const rate = event.ctrlKey ? 0.01 : 0.0015;
    zoom(Math.exp(-event.deltaY * lines * rate), event.offsetX, event.offsetY);
  },
  { passive: false },
);

/** Fingers, or the mouse, on the stage: where each was last. */
const fingers = new Map();
/** Where the only finger came down; null once it has moved, or another one came. */
let pressed = null;

stage.addEventListener("pointerdown", (event) => {
  if (event.pointerType === "mouse" && event.button !== 0) return;
  stage.setPointerCapture(event.pointerId);
  pressed = fingers.size === 0 ? [event.offsetX, event.offsetY] : null;
  fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
  stage.classList.add("dragging");
});

stage.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const now = [event.offsetX, event.offsetY];
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  // A finger that trembles before the second one lands does not end following.
  const moved = Math.hypot(now[0] - before[0], now[1] - before[1]);
  if (!other && camera.follow && moved < 8) return;
  if (pressed && Math.hypot(now[0] - pressed[0], now[1] - pressed[1]) > 5) pressed = null;
  fingers.set(event.pointerId, now);
  if (!other) {
    pan(now[0] - before[0], now[1] - before[1]);
    return;
  }
  const spread = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 10);
  // Two fingers hold the point between them; a camera that follows only zooms.
  if (!camera.follow) pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  zoom(spread(now) / spread(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
});

for (const name of ["pointerup", "pointercancel"]) {
  stage.addEventListener(name, (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size === 0) stage.classList.remove("dragging");
    if (name === "pointerup" && pressed) pickLink(...pressed);
    pressed = null;
  });
}

document.getElementById("zoom-in").addEventListener("click", () => zoom(1.4));
document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
document.getElementById("fit").addEventListener("click", showAll);
followButton.addEventListener("click", toggleFollow);
