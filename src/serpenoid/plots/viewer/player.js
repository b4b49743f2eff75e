// The clock, the controls and the keys; loaded last.

const slider = document.getElementById("slider");
const clock = document.getElementById("clock");
const playButton = document.getElementById("play");
const speed = document.getElementById("speed");
const helpDialog = document.getElementById("help-dialog");
const decimals = clamp(Math.ceil(-Math.log10((lastTime - firstTime) / (frames - 1 || 1))), 1, 4);

let now = firstTime;
let playing = false;
let waiting = false; // for the next picture
let before = null; // when the last picture was shown, ms

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(tick);
}

/** Show the next picture; while playing, move on by the time that passed. */
function tick(stamp) {
  waiting = false;
  if (playing) {
    // A tab that slept does not jump.
    const passed = before === null ? 0 : Math.min(stamp - before, 250) / 1000;
    now = Math.min(now + passed * Number(speed.value), lastTime);
    if (now === lastTime) pause();
    else redraw();
  }
  before = playing ? stamp : null;
  show();
}

function show() {
  const place = locate(now);
  drawScene(place);
  for (const chart of charts) chart.show(now, place);
  slider.value = nearestFrame(now);
  slider.setAttribute("aria-valuetext", `${now.toFixed(decimals)} seconds`);
  clock.innerHTML = `<b>${now.toFixed(decimals)}</b> / ${lastTime.toFixed(decimals)} s`;
}

function play() {
  if (now >= lastTime) now = firstTime;
  setPlaying(lastTime > firstTime);
}

function pause() {
  setPlaying(false);
}

function setPlaying(on) {
  playing = on;
  before = null;
  playButton.classList.toggle("playing", on);
  playButton.setAttribute("aria-label", on ? "Pause" : "Play");
  redraw();
}

/** Go to a time, s; between two frames the pose is interpolated. */
function seek(t) {
  if (!Number.isFinite(t)) return;
  now = clamp(t, firstTime, lastTime);
  redraw();
}

/** Go to a recorded frame by hand, which stops the clock. */
function goTo(frame) {
  pause();
  seek(time[clamp(frame, 0, frames - 1)]);
}

function scrub(t) {
  goTo(nearestFrame(t));
}

/** To the frame before or after; from between two frames that is the nearer one on that side. */
function step(count) {
  const { frame, part } = locate(now);
  goTo(count < 0 && part > 0 ? frame : frame + count);
}

slider.max = frames - 1;
slider.addEventListener("input", () => goTo(Number(slider.value)));
playButton.addEventListener("click", () => (playing ? pause() : play()));
document.getElementById("help").addEventListener("click", () => helpDialog.showModal());

// Along a path, forces on links have colours of their own; those on loads do not.
const KEYS_OF = {
  contact: guided ? ["forward", "backward"] : ["contact"],
  friction: ["friction"],
};
if (guided && loadContact) {
  KEYS_OF.contact.push("contact");
  document.getElementById("contact-words").textContent = "contact force on loads";
}

/** Show or hide one kind of arrows; a run without such forces has no key and a dead button. */
function setArrows(kind, on) {
  const forces = kind === "contact" ? (contactForce ?? loadContact) : (frictionForce ?? loadFriction);
  const button = document.getElementById(kind);
  shown[kind] = on && forces !== null;
  button.disabled = forces === null;
  button.setAttribute("aria-pressed", shown[kind]);
  for (const key of KEYS_OF[kind]) document.getElementById(`${key}-key`).hidden = !shown[kind];
  redraw();
}
for (const kind of ["contact", "friction"]) {
  setArrows(kind, shown[kind]);
  document.getElementById(kind).addEventListener("click", () => setArrows(kind, !shown[kind]));
}

// A button clicked with the mouse gives the keys back, so that space goes on meaning play.
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("main button")?.blur();
});

const KEYS = {
  ArrowLeft: (event) => (event.shiftKey ? scrub(now - 1) : step(-1)),
  ArrowRight: (event) => (event.shiftKey ? scrub(now + 1) : step(1)),
  Home: () => goTo(0),
  End: () => goTo(frames - 1),
  "+": () => zoom(1.25),
  "=": () => zoom(1.25),
  "-": () => zoom(0.8),
  0: showAll,
  f: toggleFollow,
  c: () => setArrows("contact", !shown.contact),
  g: () => setArrows("friction", !shown.friction),
  "?": () => helpDialog.showModal(),
  " ": () => (playing ? pause() : play()),
};

document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  const taken = event.target === speed || (event.key === " " && event.target.closest("button"));
  if (!action || taken || helpDialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action(event);
});

const charts = [
  new Chart(
    document.getElementById("speed-chart"),
    [{ name: "now", values: decode(run.speed), paint: "actuator" }],
    "cm/s",
    scrub,
  ),
  new Chart(
    document.getElementById("energy-chart"),
    run.energy.map(({ values, ...line }) => ({ ...line, values: decode(values) })),
    "J",
    scrub,
  ),
];

const JOINT_PAINTS = ["actuator", "contact", "ground", "kinetic", "gravity", "spring", "other"];

/** Spring torques of all joints; of a long robot, of some from tail to head. */
function springLines() {
  const count = links - 1;
  const drawn = Math.min(count, JOINT_PAINTS.length);
  return JOINT_PAINTS.slice(0, drawn).map((paint, k) => {
    const joint = drawn > 1 ? Math.round((k * (count - 1)) / (drawn - 1)) : 0;
    const values = new Float32Array(frames);
    for (let frame = 0; frame < frames; frame++) values[frame] = springTorque[frame * count + joint];
    return { name: `joint ${joint}`, values, paint };
  });
}
if (springTorque) {
  const box = document.getElementById("spring-chart");
  box.parentElement.hidden = false;
  document.querySelector(".charts").classList.add("three");
  charts.push(new Chart(box, springLines(), "N m", scrub));
}

function drawAll() {
  readColours();
  const { width, height } = stage.getBoundingClientRect();
  [camera.width, camera.height] = [width, height];
  fitCanvas(stage, pen, width, height);
  if (!camera.touched) firstView();
  for (const chart of charts) chart.draw();
  show();
}

/** An address that ends with #t=5.2 shows that moment. */
function openAtFragment() {
  const given = /^#t=(.+)$/.exec(location.hash);
  if (!given) return false;
  pause();
  seek(Number(given[1]));
  return true;
}

if (run.side) {
  // Seen from the side there is no ground under all of a link, on which it could stick as a whole.
  for (const key of ["slips", "sticks"]) document.getElementById(`${key}-key`).hidden = true;
  document.getElementById("contact-words").textContent = "normal force";
  document.getElementById("friction-words").textContent = "friction";
  stage.setAttribute("aria-label", stage.getAttribute("aria-label").replace("Top", "Side"));
}
const rolling = run.wheels.some((wheels) => wheels && !wheels.lifted);
document.getElementById("load-key").hidden = run.loads.length === 0;
document.getElementById("wheels-key").hidden = !rolling;
if (rolling) document.getElementById("sticks-words").textContent = "sticks or rolls";
document.getElementById("lifted-key").hidden = !run.wheels.some((wheels) => wheels?.lifted);
document.getElementById("waypoint-key").hidden = run.waypoints.length === 0;
document.getElementById("leg-key").hidden = !guided;
if (run.slope) {
  const key = document.getElementById("slope-key");
  key.hidden = false;
  key.querySelector("i").style.transform = `rotate(${-run.slope.direction}deg)`;
  key.querySelector("span").textContent = `downhill, ${plain(run.slope.angle)}°`;
}
window.addEventListener("hashchange", openAtFragment);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
new ResizeObserver(drawAll).observe(document.querySelector("main"));
drawAll();
if (!openAtFragment() && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();

/**
 * The page for other scripts and tests. time(): s. seek(t): go to a time, s. play(), pause().
 * playing(): whether the clock runs. pose(): centres x, y (m) and angles theta (rad) of all links,
 * tail first, as they are shown. loads(): the same of the loads. view(): middle x, y (m), scale (pixels per metre), follow.
 */
window.serpenoid = {
  time: () => now,
  seek,
  play,
  pause,
  playing: () => playing,
  pose: () => poseAt(locate(now)),
  loads: () => loadsAt(locate(now)),
  view: () => ({ x: camera.x, y: camera.y, scale: camera.scale, follow: camera.follow }),
};
