// Forces as arrows, and the scales that say how long a metre and a newton are.

/** All arrows of a run that are to be shown. */
function drawAllForces(run, place) {
  const [pose, loads] = [run.poseAt(place), run.loadsAt(place)];
  const { touches } = run;
  const [contact, ground] = [contactPaint(run, pose), groundPaint(run)];
  if (shown.friction) {
    const paint = ground;
    // Friction of terrain acts where things touch, that of a plane under all of a link.
    if (touches && side) drawTouches(run, place, touches.friction, reach.friction, paint);
    else drawForces(pose, place, run.friction, reach.friction, paint);
    drawForces(loads, place, run.loadFriction, reach.friction, paint);
  }
  if (shown.contact && touches) {
    drawTouches(run, place, touches.forces, reach.contact, contact);
    drawTouchPoints(run, place);
  } else if (shown.contact) {
    drawForces(pose, place, run.contact, reach.contact, contact);
    drawForces(loads, place, run.loadContact, reach.contact, plainPaint(run));
  }
}

/**
 * Fill and edge of arrows of contact forces: among several runs the run's colour. Along a path the
 * fill says whether they push the robot forward.
 */
function contactPaint(run, pose) {
  if (!run.guided) return plainPaint(run);
  const edge = compared ? paintsOf(run).stick : colour.stage;
  const heading = pose.theta.reduce((sum, angle) => sum + angle, 0) / run.links;
  const [ax, ay] = [Math.cos(heading), Math.sin(heading)];
  return (fx, fy) => [fx * ax + fy * ay > 0 ? colour.forward : colour.backward, edge];
}

/** The same of contact forces that are told apart by their run alone. */
function plainPaint(run) {
  const paint = [compared ? paintsOf(run).stick : colour.contact, colour.stage];
  return () => paint;
}

/** The same of friction of the ground; among several runs its arrows are hollow. */
function groundPaint(run) {
  const paint = compared ? [colour.stage, paintsOf(run).stick] : [colour.ground, colour.stage];
  return () => paint;
}

/**
 * Arrows from the centres of links or loads, `perNewton` metres a newton; forces: null if there are
 * none; paint: fill and edge by the force.
 */
function drawForces(pose, place, forces, perNewton, paint) {
  if (!forces) return;
  const count = pose.x.length;
  for (let k = 0; k < count; k++) {
    drawForce(pose.x[k], pose.y[k], forceOn(k, count, forces, place), perNewton, paint);
  }
}

/** An arrow from a point of the plane, unless it would be too short to be seen. */
function drawForce(x, y, [fx, fy], perNewton, paint) {
  const length = Math.min(Math.hypot(fx, fy) * perNewton, bodyLength / 2) * camera.scale;
  if (length > 3) drawArrow(...toScreen(x, y), Math.atan2(-fy, fx), length, ...paint(fx, fy));
}

/** First and last but one contact since the frame before. */
function touchesAt({ touches }, { frame, part }) {
  const row = part > 0 ? frame + 1 : frame;
  return [touches.first[row], touches.first[row + 1]];
}

/** The same arrows from where things touch. */
function drawTouches(run, place, forces, perNewton, paint) {
  const { points, onLoads } = run.touches;
  const [from, to] = touchesAt(run, place);
  const onLoad = plainPaint(run);
  for (let k = from; k < to; k++) {
    const [x, y, fx, fy] = [points[2 * k], points[2 * k + 1], forces[2 * k], forces[2 * k + 1]];
    drawForce(x, y, [fx, fy], perNewton, onLoads[k] ? onLoad : paint);
  }
}

/** Dots where things touch. */
function drawTouchPoints(run, place) {
  const { points } = run.touches;
  const [from, to] = touchesAt(run, place);
  pen.fillStyle = colour.text;
  for (let k = 2 * from; k < 2 * to; k += 2) {
    pen.beginPath();
    pen.arc(...toScreen(points[k], points[k + 1]), 2.5, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawArrow(x, y, angle, length, paint, edge = colour.stage) {
  const head = Math.min(9, 0.6 * length);
  pen.save();
  pen.translate(x, y);
  pen.rotate(angle);
  pen.beginPath();
  pen.moveTo(0, -1.25);
  pen.lineTo(length - head, -1.25);
  pen.lineTo(length - head, -0.5 * head);
  pen.lineTo(length, 0);
  pen.lineTo(length - head, 0.5 * head);
  pen.lineTo(length - head, 1.25);
  pen.lineTo(0, 1.25);
  pen.closePath();
  pen.strokeStyle = edge;
  pen.lineWidth = edge === colour.stage ? 2 : 3;
  pen.stroke();
  pen.fillStyle = paint;
  pen.fill();
  pen.restore();
}

/** One cell of the grid as a scale bar, and beside it arrows of a round force. */
function drawScale(cell) {
  let y = pane.top + pane.height - 14;
  const width = cell * camera.scale;
  let x = pane.left + 14;
  pen.beginPath();
  pen.moveTo(x, y - 5);
  pen.lineTo(x, y);
  pen.lineTo(x + width, y);
  pen.lineTo(x + width, y - 5);
  pen.strokeStyle = colour.text;
  pen.lineWidth = 1.5;
  pen.lineJoin = "miter";
  pen.stroke();
  x = writeAbove(lengthWords(cell), x, y, width);
  const kinds = [
    [shown.contact, reach.contact, [runs.some((run) => run.guided) ? colour.quiet : colour.contact]],
    [shown.friction, reach.friction, compared ? [colour.stage, colour.text] : [colour.ground]],
  ];
  for (const [visible, perNewton, paint] of kinds) {
    if (!visible) continue;
    const force = roundNumber(clamp(pane.width / 5, 50, 90) / camera.scale / perNewton);
    const length = force * perNewton * camera.scale;
    const words = `${plain(force)} N`;
    // In a narrow picture one above the other.
    if (x + Math.max(length, pen.measureText(words).width) > pane.left + pane.width - 8) {
      [x, y] = [pane.left + 14, y - 26];
    }
    drawArrow(x, y, 0, length, ...paint);
    x = writeAbove(words, x, y, length);
  }
}

/** Words above something of a length; returns where the next may begin. */
function writeAbove(words, x, y, length) {
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  writeClearly(words, x, y - 7);
  return x + Math.max(length, pen.measureText(words).width) + 22;
}
