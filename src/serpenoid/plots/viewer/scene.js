// Drawing the world and the robot in it.

const pen = stage.getContext("2d");
const shown = { contact: true, friction: run.side };
let colour = {};

/** Take the colours from the style sheet, which knows light and dark. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names =
    "stage text quiet line grid slip stick outline head obstacle patch trail contact ground " +
    "forward backward waypoint load load-edge wheel actuator viscous gravity kinetic spring other";
  colour = {};
  for (const name of names.split(" ")) colour[name] = style.getPropertyValue(`--${name}`).trim();
}

/** A canvas as large as its box, drawn in CSS pixels. */
function fitCanvas(canvas, context, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function drawScene(place) {
  if (camera.follow) [camera.x, camera.y] = centreAt(place);
  pen.fillStyle = colour.stage;
  pen.fillRect(0, 0, camera.width, camera.height);
  const cell = roundNumber(clamp(camera.width / 4, 60, 120) / camera.scale);
  drawGrid(cell);
  run.patches.forEach(drawPatch);
  drawTerrain();
  drawObstacles();
  drawWaypoints();
  const pose = poseAt(place);
  const loads = loadsAt(place);
  drawLoads(loads);
  drawLoadTrails(loads, place);
  drawTrail(place);
  drawBody(pose, place);
  drawCentre(place);
  if (shown.friction) {
    const paint = () => colour.ground;
    // Friction of terrain acts where things touch, that of a plane under all of a link.
    if (touches && run.side) drawTouches(place, touches.friction, run.friction_reach, paint);
    else drawForces(pose, place, frictionForce, run.friction_reach, paint);
    drawForces(loads, place, loadFriction, run.friction_reach, paint);
  }
  if (shown.contact && touches) {
    drawTouches(place, touches.forces, run.contact_reach, contactPaint(pose));
    drawTouchPoints(place);
  } else if (shown.contact) {
    drawForces(pose, place, contactForce, run.contact_reach, contactPaint(pose));
    drawForces(loads, place, loadContact, run.contact_reach, () => colour.contact);
  }
  drawScale(cell);
}

function drawGrid(cell) {
  const halfWidth = camera.width / 2 / camera.scale;
  const halfHeight = camera.height / 2 / camera.scale;
  pen.beginPath();
  for (let k = Math.ceil((camera.x - halfWidth) / cell); k * cell < camera.x + halfWidth; k++) {
    const x = Math.round(toScreen(k * cell, 0)[0]) + 0.5;
    pen.moveTo(x, 0);
    pen.lineTo(x, camera.height);
  }
  for (let k = Math.ceil((camera.y - halfHeight) / cell); k * cell < camera.y + halfHeight; k++) {
    const y = Math.round(toScreen(0, k * cell)[1]) + 0.5;
    pen.moveTo(0, y);
    pen.lineTo(camera.width, y);
  }
  pen.lineWidth = 1;
  pen.strokeStyle = colour.grid;
  pen.stroke();
}

function drawPatch(patch) {
  const [x, y] = toScreen(patch.x, patch.y);
  const width = patch.width * camera.scale;
  const height = patch.height * camera.scale;
  pen.save();
  pen.translate(x, y);
  pen.rotate(-patch.angle);
  pen.fillStyle = pen.strokeStyle = colour.patch;
  pen.globalAlpha = 0.16;
  pen.fillRect(-width / 2, -height / 2, width, height);
  pen.globalAlpha = 0.7;
  pen.lineWidth = 1;
  pen.strokeRect(-width / 2, -height / 2, width, height);
  pen.globalAlpha = 1;
  pen.fillStyle = colour.quiet;
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  if (pen.measureText(patch.label).width + 12 < width && height > 24) {
    pen.fillText(patch.label, 6 - width / 2, height / 2 - 4);
  }
  pen.restore();
}

/** The legs of the path, the waypoints, and the circles in which they count as reached. */
function drawWaypoints() {
  pen.strokeStyle = colour.waypoint;
  pen.lineWidth = 1.25;
  pen.setLineDash([6, 5]);
  pen.beginPath();
  trace(run.legs.flat(), 0, run.legs.length);
  pen.stroke();
  pen.setLineDash([2, 4]);
  for (const [x, y] of run.acceptance > 0 ? run.waypoints : []) {
    pen.beginPath();
    pen.arc(...toScreen(x, y), run.acceptance * camera.scale, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.lineWidth = 2;
  for (const [x, y] of run.waypoints) {
    const [px, py] = toScreen(x, y);
    pen.strokeRect(px - 5, py - 5, 10, 10);
  }
}

/** The ground of a world seen from the side, solid below its line. */
function drawTerrain() {
  if (terrain.length === 0) return;
  const count = terrain.length / 2;
  pen.beginPath();
  trace(terrain, 0, count);
  pen.strokeStyle = colour.obstacle;
  pen.lineWidth = 2;
  pen.lineJoin = "miter";
  pen.stroke();
  const bottom = camera.height + 10;
  pen.lineTo(toScreen(terrain[2 * count - 2], 0)[0], bottom);
  pen.lineTo(toScreen(terrain[0], 0)[0], bottom);
  pen.closePath();
  pen.fillStyle = colour.patch;
  pen.globalAlpha = 0.2;
  pen.fill();
  pen.globalAlpha = 1;
  run.grounds.forEach(drawChange);
}

/** A mark where the friction of the terrain changes, and what it is to either side. */
function drawChange({ x, y, left, right }) {
  const [px, py] = toScreen(x, y);
  pen.beginPath();
  pen.moveTo(px, py);
  pen.lineTo(px, py + 16);
  pen.strokeStyle = colour.obstacle;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.fillStyle = colour.quiet;
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "top";
  pen.textAlign = "right";
  pen.fillText(left, px - 6, py + 5);
  pen.textAlign = "left";
  pen.fillText(right, px + 6, py + 5);
}

function drawObstacles() {
  pen.fillStyle = pen.strokeStyle = colour.obstacle;
  pen.beginPath();
  for (let k = 0; k < pegs.length; k += 3) {
    const [x, y] = toScreen(pegs[k], pegs[k + 1]);
    const radius = Math.max(pegs[k + 2] * camera.scale, 1);
    const outside = x < -radius || x > camera.width + radius;
    if (outside || y < -radius || y > camera.height + radius) continue;
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.fill();
  pen.beginPath();
  for (const points of walls) trace(points, 0, points.length / 2);
  pen.lineWidth = 2.5;
  pen.lineJoin = pen.lineCap = "round";
  pen.stroke();
}

/** Add the polyline through points [from, to) of x, y, x, y, ... to the current path. */
function trace(points, from, to) {
  for (let k = from; k < to; k++) {
    const [x, y] = toScreen(points[2 * k], points[2 * k + 1]);
    if (k === from) pen.moveTo(x, y);
    else pen.lineTo(x, y);
  }
}

/** Path of the centre of mass from the start until now. */
function drawTrail(place) {
  pen.beginPath();
  trace(centre, 0, place.frame + 1);
  pen.lineTo(...toScreen(...centreAt(place)));
  pen.strokeStyle = colour.trail;
  pen.lineWidth = 2;
  pen.setLineDash([0.1, 4]);
  pen.stroke();
  pen.setLineDash([]);
}

function drawCentre(place) {
  pen.beginPath();
  pen.arc(...toScreen(...centreAt(place)), 3, 0, 2 * Math.PI);
  pen.fillStyle = colour.trail;
  pen.fill();
}

function drawBody(pose, place) {
  pen.lineWidth = 1.25;
  pen.lineJoin = "round";
  for (let k = 0; k < links; k++) {
    const radius = run.radius[k] * camera.scale;
    const half = (run.straight[k] / 2) * camera.scale;
    pen.save();
    pen.translate(...toScreen(pose.x[k], pose.y[k]));
    pen.rotate(-pose.theta[k]);
    pen.beginPath();
    pen.arc(half, 0, radius, -Math.PI / 2, Math.PI / 2);
    pen.arc(-half, 0, radius, Math.PI / 2, -Math.PI / 2);
    pen.closePath();
    pen.fillStyle = sticks(k, place) ? colour.stick : colour.slip;
    pen.fill();
    pen.strokeStyle = colour.outline;
    pen.stroke();
    if (k === links - 1) {
      pen.beginPath();
      pen.arc(half, 0, radius, -Math.PI / 2, Math.PI / 2);
      // From afar a dot shows better than half a link.
      if (radius < 5) pen.arc(half, 0, 4.5, 0, 2 * Math.PI);
      pen.closePath();
      pen.fillStyle = colour.head;
      pen.fill();
      pen.stroke();
    }
    if (run.wheels[k]) drawWheels(run.wheels[k]);
    pen.restore();
  }
}
