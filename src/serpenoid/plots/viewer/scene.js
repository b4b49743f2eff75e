// Drawing the world and the robots in it.

/** What is drawn on: the stage, or a picture to save. */
let pen = stage.getContext("2d");
const shown = { contact: true, friction: side };
let colour = {};

/** Take the colours from the style sheet, which knows light and dark. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names =
    "page stage text quiet line grid accent slip stick outline head obstacle patch trail contact " +
    "ground forward backward waypoint load load-edge wheel actuator viscous gravity kinetic " +
    "spring other run-0 run-1 run-2 run-3 run-4 run-5 run-6 tail-end head-end";
  colour = {};
  for (const name of names.split(" ")) colour[name] = style.getPropertyValue(`--${name}`).trim();
  // Among several runs arrows have the colours of their runs; the scale beside them has none.
  if (compared) colour.contact = colour.text;
}

/** Colours of a robot: those of links that slip and stick or, among several runs, of its run. */
function paintsOf(run) {
  if (!compared) return colour;
  const own = colour[`run-${run.index}`];
  return { slip: mix(colour.stage, own, 0.45), stick: own, outline: own, trail: own, head: own };
}

/** A canvas as large as its box, drawn in CSS pixels. */
function fitCanvas(canvas, context, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** Everything on the stage at a time. */
function drawScene(t) {
  aim(t);
  pen.fillStyle = colour.stage;
  pen.fillRect(0, 0, camera.width, camera.height);
  for (pane of panes) {
    pen.save();
    pen.beginPath();
    pen.rect(pane.left, pane.top, pane.width, pane.height);
    pen.clip();
    drawPane(t);
    pen.restore();
  }
  if (panes.length > 1) panes.forEach((each) => drawFrame(each, t));
}

/** One picture: the world, then what moves in it, then the scales. */
function drawPane(t) {
  const cell = roundNumber(clamp(pane.width / 4, 60, 120) / camera.scale);
  drawGrid(cell);
  drawWorlds(pane.runs);
  const places = pane.runs.map((run) => [run, run.locate(t)]);
  for (const [run, place] of places) drawRobot(run, place, t);
  for (const [run, place] of places) if (!run.restAt(t)) drawAllForces(run, place);
  drawScale(cell);
}

/** A robot with its loads and paths; a pale one before its run begins and when it is over. */
function drawRobot(run, place, t) {
  pen.globalAlpha = run.restAt(t) ? 0.35 : 1;
  const loads = run.loadsAt(place);
  drawLoads(run, loads);
  drawLoadTrails(run, loads, place);
  drawTrail(run, place);
  drawBody(run, run.poseAt(place), place);
  drawCentre(run, place);
  pen.globalAlpha = 1;
}

/** The name of the run in a picture of its own, and a line around it. */
function drawFrame({ left, top, width, height, runs: [run] }, t) {
  pen.strokeStyle = colour.line;
  pen.lineWidth = 1;
  pen.strokeRect(left - 0.5, top - 0.5, width, height);
  pen.font = "600 13px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.textBaseline = "top";
  const rest = run.restAt(t) && `, ${run.restAt(t)}`;
  // The name comes first: that a run is over can be seen, and is in the legend.
  const fits = pen.measureText(run.name + rest).width <= width - 24;
  const words = fits ? run.name + rest : fitted(run.name, width - 24);
  writeClearly(words, left + 12, top + 10, paintsOf(run).stick);
}

/** Text that can be read on whatever it stands. */
function writeClearly(words, x, y, paint = colour.text) {
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = colour.stage;
  pen.strokeText(words, x, y);
  pen.fillStyle = paint;
  pen.fillText(words, x, y);
}

/** Begin a path along the outline of a link in its own axes, pixels. */
function outlinePath(half, radius) {
  pen.beginPath();
  pen.arc(half, 0, radius, -Math.PI / 2, Math.PI / 2);
  pen.arc(-half, 0, radius, Math.PI / 2, -Math.PI / 2);
  pen.closePath();
}

/** Text cut in the middle to a width, pixels: names of runs often differ at their ends. */
function fitted(text, width) {
  if (pen.measureText(text).width <= width) return text;
  const all = [...text];
  const cut = (kept) =>
    `${all.slice(0, Math.ceil(kept / 2)).join("")}…${all.slice(all.length - Math.floor(kept / 2)).join("")}`;
  let kept = all.length - 1;
  while (kept > 0 && pen.measureText(cut(kept)).width > width) kept--;
  return cut(kept);
}

function drawGrid(cell) {
  const { left, top, width, height } = pane;
  const halfWidth = width / 2 / camera.scale;
  const halfHeight = height / 2 / camera.scale;
  pen.beginPath();
  for (let k = Math.ceil((pane.x - halfWidth) / cell); k * cell < pane.x + halfWidth; k++) {
    const x = Math.round(toScreen(k * cell, 0)[0]) + 0.5;
    pen.moveTo(x, top);
    pen.lineTo(x, top + height);
  }
  for (let k = Math.ceil((pane.y - halfHeight) / cell); k * cell < pane.y + halfHeight; k++) {
    const y = Math.round(toScreen(0, k * cell)[1]) + 0.5;
    pen.moveTo(left, y);
    pen.lineTo(left + width, y);
  }
  pen.lineWidth = 1;
  pen.strokeStyle = colour.grid;
  pen.stroke();
}

/** Path of the centre of mass from the start until now. */
function drawTrail(run, place) {
  pen.beginPath();
  trace(run.centre, 0, place.frame + 1);
  pen.lineTo(...toScreen(...run.centreAt(place)));
  pen.strokeStyle = paintsOf(run).trail;
  pen.lineWidth = 2;
  pen.setLineDash([0.1, 4]);
  pen.stroke();
  pen.setLineDash([]);
}

function drawCentre(run, place) {
  pen.beginPath();
  pen.arc(...toScreen(...run.centreAt(place)), 3, 0, 2 * Math.PI);
  pen.fillStyle = compared ? colour.text : colour.trail;
  pen.fill();
}

function drawBody(run, pose, place) {
  const paints = paintsOf(run);
  pen.lineWidth = 1.25;
  pen.lineJoin = "round";
  for (let k = 0; k < run.links; k++) {
    const radius = run.data.radius[k] * camera.scale;
    const half = (run.data.straight[k] / 2) * camera.scale;
    pen.save();
    pen.translate(...toScreen(pose.x[k], pose.y[k]));
    pen.rotate(-pose.theta[k]);
    outlinePath(half, radius);
    pen.fillStyle = run.sticks(k, place) ? paints.stick : paints.slip;
    pen.fill();
    pen.strokeStyle = paints.outline;
    pen.stroke();
    if (k === run.links - 1) {
      pen.beginPath();
      pen.arc(half, 0, radius, -Math.PI / 2, Math.PI / 2);
      // From afar a dot shows better than half a link.
      if (radius < 5) pen.arc(half, 0, 4.5, 0, 2 * Math.PI);
      pen.closePath();
      pen.fillStyle = paints.head;
      pen.fill();
      pen.stroke();
    }
    if (run.data.wheels[k]) drawWheels(run.data.wheels[k]);
    pen.restore();
  }
  if (chosenLink < run.links) drawChosen(run, pose, chosenLink);
}
