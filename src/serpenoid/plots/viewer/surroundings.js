// Drawing what stands on the plane: patches, terrain, obstacles, waypoints.

/** What stands on the plane; worlds that differ are drawn in the colours of their runs. */
function drawWorlds(some) {
  const kinds = new Map();
  for (const run of some) kinds.set(run.world, [...(kinds.get(run.world) ?? []), run]);
  const full = [...kinds.values()].filter(([run]) => run.pegs.length || run.walls.length);
  for (const [run, ...others] of kinds.values()) {
    run.data.patches.forEach(drawPatch);
    drawTerrain(run);
    const own = full.length > 1 && others.length === 0;
    drawObstacles(run, own ? paintsOf(run).stick : colour.obstacle);
    drawWaypoints(run);
  }
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
function drawWaypoints({ data }) {
  pen.strokeStyle = colour.waypoint;
  pen.lineWidth = 1.25;
  pen.setLineDash([6, 5]);
  pen.beginPath();
  trace(data.legs.flat(), 0, data.legs.length);
  pen.stroke();
  pen.setLineDash([2, 4]);
  for (const [x, y] of data.acceptance > 0 ? data.waypoints : []) {
    pen.beginPath();
    pen.arc(...toScreen(x, y), data.acceptance * camera.scale, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.lineWidth = 2;
  for (const [x, y] of data.waypoints) {
    const [px, py] = toScreen(x, y);
    pen.strokeRect(px - 5, py - 5, 10, 10);
  }
}

/** The ground of a world seen from the side, solid below its line. */
function drawTerrain({ data, terrain }) {
  if (terrain.length === 0) return;
  const count = terrain.length / 2;
  pen.beginPath();
  trace(terrain, 0, count);
  pen.strokeStyle = colour.obstacle;
  pen.lineWidth = 2;
  pen.lineJoin = "miter";
  pen.stroke();
  const bottom = pane.top + pane.height + 10;
  pen.lineTo(toScreen(terrain[2 * count - 2], 0)[0], bottom);
  pen.lineTo(toScreen(terrain[0], 0)[0], bottom);
  pen.closePath();
  pen.fillStyle = colour.patch;
  pen.globalAlpha = 0.2;
  pen.fill();
  pen.globalAlpha = 1;
  data.grounds.forEach(drawChange);
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

function drawObstacles({ pegs, walls }, paint) {
  const { left, top, width, height } = pane;
  pen.fillStyle = pen.strokeStyle = paint;
  pen.beginPath();
  for (let k = 0; k < pegs.length; k += 3) {
    const [x, y] = toScreen(pegs[k], pegs[k + 1]);
    const radius = Math.max(pegs[k + 2] * camera.scale, 1);
    const outside = x < left - radius || x > left + width + radius;
    if (outside || y < top - radius || y > top + height + radius) continue;
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
