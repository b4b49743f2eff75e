// The clock, the controls and the keys; loaded last.

const slider = document.getElementById("slider");
const clock = document.getElementById("clock");
const playButton = document.getElementById("play");
const speed = document.getElementById("speed");
const helpDialog = document.getElementById("help-dialog");
const spacing = frames > 1 ? (lastTime - firstTime) / (frames - 1) : 0.1; // between frames, s
const decimals = clamp(Math.ceil(-Math.log10(spacing)), 1, 4);

/** Places of the legend that name the runs, and say which of them rest. */
const runKeys = [];

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
  drawScene(now);
  for (const chart of charts) chart.show(now);
  for (const { key, rest, run } of runKeys) {
    const words = run.restAt(now);
    key.classList.toggle("resting", words !== "");
    rest.textContent = words && `, ${words}`;
  }
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
  const { frame, part } = locateIn(time, now);
  goTo(count < 0 && part > 0 ? frame : frame + count);
}

slider.max = frames - 1;
slider.addEventListener("input", () => goTo(Number(slider.value)));
playButton.addEventListener("click", () => (playing ? pause() : play()));
document.getElementById("help").addEventListener("click", () => helpDialog.showModal());

// Along a path, forces on links have colours of their own; those on loads do not.
const guided = runs.some((run) => run.guided);
const KEYS_OF = {
  contact: guided ? ["forward", "backward"] : ["contact"],
  friction: ["friction"],
};
if (guided && runs.some((run) => run.loadContact || (run.contact && !run.guided))) {
  KEYS_OF.contact.push("contact");
  document.getElementById("contact-words").textContent = "other contact force";
}

/** Whether some run has forces of a kind. */
const FORCES = {
  contact: runs.some((run) => run.contact || run.loadContact),
  friction: runs.some((run) => run.friction || run.loadFriction),
};

/** Show or hide one kind of arrows; a run without such forces has no key and a dead button. */
function setArrows(kind, on) {
  const button = document.getElementById(kind);
  shown[kind] = on && FORCES[kind];
  button.disabled = !FORCES[kind];
  button.setAttribute("aria-pressed", shown[kind]);
  for (const key of KEYS_OF[kind]) document.getElementById(`${key}-key`).hidden = !shown[kind];
  redraw();
}
for (const kind of ["contact", "friction"]) {
  setArrows(kind, shown[kind]);
  document.getElementById(kind).addEventListener("click", () => setArrows(kind, !shown[kind]));
}

const apartButton = document.getElementById("apart");

/** Show several runs side by side, or overlaid. */
function setApart(on) {
  apart = on && compared;
  apartButton.setAttribute("aria-pressed", apart);
  camera.touched = false;
  drawAll();
}
apartButton.addEventListener("click", () => setApart(!apart));

// A button clicked with the mouse gives the keys back, so that space goes on meaning play.
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("main button")?.blur();
});

// So does a list opened with the mouse, once something is taken from it or it is left.
let pickedList = null;
document.addEventListener("pointerdown", (event) => {
  pickedList = event.target.closest("main select");
});
document.addEventListener("change", (event) => {
  if (event.target === pickedList) pickedList.blur();
});
document.addEventListener("keyup", (event) => {
  if (event.target === pickedList && ["Enter", "Escape"].includes(event.key)) pickedList.blur();
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
  l: (event) => stepLink(event.shiftKey ? -1 : 1),
  s: () => setApart(!apart),
  p: () => addButton.click(),
  "?": () => helpDialog.showModal(),
  " ": () => (playing ? pause() : play()),
};

document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  const inButton = event.key === " " && event.target.closest("button");
  const taken = inButton || event.target.closest("select, dialog");
  if (!action || taken || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action(event);
});

const first = [{ name: "speed", entries: "all", part: "" }];
first.push({ name: compared ? "energy_actuator" : LEDGER, entries: "all", part: "" });
if (runs.some((run) => run.data.spring)) first.push(firstChoice("spring_torque"));

function drawAll() {
  readColours();
  makeRoom();
  const { width, height } = stage.parentElement.getBoundingClientRect();
  [camera.width, camera.height] = [width, height];
  fitCanvas(stage, pen, width, height);
  layOutPanes();
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

if (side) {
  // Seen from the side there is no ground under all of a link, on which it could stick as a whole.
  for (const key of ["slips", "sticks"]) document.getElementById(`${key}-key`).hidden = true;
  document.getElementById("contact-words").textContent = "normal force";
  document.getElementById("friction-words").textContent = "friction";
  stage.setAttribute("aria-label", stage.getAttribute("aria-label").replace("Top", "Side"));
}
const wheels = runs.flatMap((run) => run.data.wheels).filter(Boolean);
const rolling = wheels.some(({ lifted }) => !lifted);
document.getElementById("load-key").hidden = runs.every((run) => run.data.loads.length === 0);
document.getElementById("wheels-key").hidden = !rolling;
if (rolling) document.getElementById("sticks-words").textContent = "sticks or rolls";
document.getElementById("lifted-key").hidden = !wheels.some(({ lifted }) => lifted);
document.getElementById("waypoint-key").hidden = runs.every((run) => !run.data.waypoints.length);
document.getElementById("leg-key").hidden = !guided;
const { slope } = runs[0].data;
if (slope) {
  const key = document.getElementById("slope-key");
  key.hidden = false;
  key.querySelector("i").style.transform = `rotate(${-slope.direction}deg)`;
  key.querySelector("span").textContent = `downhill, ${plain(slope.angle)}°`;
}
if (compared) {
  apartButton.hidden = false;
  const legend = document.querySelector(".legend");
  legend.querySelectorAll("#slips-key, #sticks-key, .of-one").forEach((key) => key.remove());
  for (const run of [...runs].reverse()) {
    const key = document.createElement("li");
    const swatch = document.createElement("i");
    swatch.className = "link";
    swatch.style.background = swatch.style.borderColor = `var(--run-${run.index})`;
    key.className = "run";
    const words = document.createElement("span");
    const rest = document.createElement("span");
    words.append(run.name, rest);
    key.append(swatch, words);
    runKeys.push({ key, rest, run });
    legend.prepend(key);
  }
} else {
  document.querySelectorAll(".of-several").forEach((item) => item.remove());
}
listSignals();
first.forEach(addChart);
window.addEventListener("hashchange", openAtFragment);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
new ResizeObserver(drawAll).observe(document.querySelector("main"));
drawAll();
if (!openAtFragment() && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();

/**
 * The page for other scripts and tests. time(): s. seek(t): go to a time, s. play(), pause().
 * playing(): whether the clock runs. pose(k): centres x, y (m) and angles theta (rad) of all links
 * of run k, tail first, as they are shown. loads(k): the same of the loads. view(): middle x, y
 * (m), scale (pixels per metre), follow. panes(): pictures on the stage and the numbers of their
 * runs. link(): the chosen one, or null. choose(k, choice): what plot k shows.
 */
window.serpenoid = {
  time: () => now,
  seek,
  play,
  pause,
  playing: () => playing,
  pose: (k = 0) => runs[k].poseAt(runs[k].locate(now)),
  loads: (k = 0) => runs[k].loadsAt(runs[k].locate(now)),
  view: () => ({ x: camera.x, y: camera.y, scale: camera.scale, follow: camera.follow }),
  panes: () => panes.map((each) => ({ ...each, runs: each.runs.map((run) => run.index) })),
  link: () => (Number.isNaN(chosenLink) ? null : chosenLink),
  choose: (k, choice) => {
    charts[k].choose({ ...firstChoice(choice.name), ...choice });
    drawAll();
  },
};
