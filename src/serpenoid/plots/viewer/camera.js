// The view on the plane: where it looks, how near, and the gestures that change it.

const stage = document.getElementById("stage");
const followButton = document.getElementById("follow");

/**
 * Middle of the view (m), scale (pixels per metre), whether it follows the robot, size (pixels),
 * and whether it was changed by hand, so that it stays as it is when the window changes.
 */
const camera = { x: 0, y: 0, scale: 100, follow: false, width: 0, height: 0, touched: false };

function toScreen(x, y) {
  return [
    camera.width / 2 + (x - camera.x) * camera.scale,
    camera.height / 2 - (y - camera.y) * camera.scale,
  ];
}

/** The scale at which the whole run fits below the legend. */
function fittingScale() {
  const [left, bottom, right, top] = run.extent;
  const room = [camera.width - 40, camera.height - 90];
  return Math.max(Math.min(room[0] / (right - left), room[1] / (top - bottom)), 1e-6);
}

function showAll() {
  const [left, bottom, right, top] = run.extent;
  setFollow(false);
  camera.scale = fittingScale();
  camera.x = (left + right) / 2;
  camera.y = (bottom + top) / 2 + 10 / camera.scale;
  redraw();
}

/** The whole run, or, where the robot would become too small for that, the robot from near by. */
function firstView() {
  showAll();
  if (bodyLength * camera.scale < 240) {
    camera.scale = Math.min(0.8 * camera.width, 0.95 * camera.height) / bodyLength;
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

/** Zoom by a factor; the point of the stage at (px, py) stays where it is. */
function zoom(factor, px = camera.width / 2, py = camera.height / 2) {
  const least = Math.min(fittingScale() / 10, camera.scale);
  const most = Math.max((40 * camera.width) / bodyLength, camera.scale);
  const scale = clamp(camera.scale * factor, least, most);
  const shift = 1 / camera.scale - 1 / scale;
  if (!camera.follow) {
    camera.x += (px - camera.width / 2) * shift;
    camera.y -= (py - camera.height / 2) * shift;
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

stage.addEventListener("pointerdown", (event) => {
  if (event.pointerType === "mouse" && event.button !== 0) return;
  stage.setPointerCapture(event.pointerId);
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
  });
}

document.getElementById("zoom-in").addEventListener("click", () => zoom(1.4));
document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
document.getElementById("fit").addEventListener("click", showAll);
followButton.addEventListener("click", toggleFollow);
