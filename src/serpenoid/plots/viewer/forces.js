// Forces as arrows, and the scales that say how long a metre and a newton are.

/** The colour of contact forces; along a path, by whether they push the robot forward. */
function contactPaint(pose) {
  if (!guided) return () => colour.contact;
  const heading = pose.theta.reduce((sum, angle) => sum + angle, 0) / links;
  const [ax, ay] = [Math.cos(heading), Math.sin(heading)];
  return (fx, fy) => (fx * ax + fy * ay > 0 ? colour.forward : colour.backward);
}

/**
 * Arrows from the centres of links or loads, `reach` metres a newton; forces: null if there are
 * none; paint: their colour by the force.
 */
function drawForces(pose, place, forces, reach, paint) {
  if (!forces) return;
  const count = pose.x.length;
  for (let k = 0; k < count; k++) {
    drawForce(pose.x[k], pose.y[k], forceOn(k, count, forces, place), reach, paint);
  }
}

/** An arrow from a point of the plane, unless it would be too short to be seen. */
function drawForce(x, y, [fx, fy], reach, paint) {
  const length = Math.min(Math.hypot(fx, fy) * reach, bodyLength / 2) * camera.scale;
  if (length > 3) drawArrow(...toScreen(x, y), Math.atan2(-fy, fx), length, paint(fx, fy));
}

/** First and last but one contact since the frame before. */
function touchesAt({ frame, part }) {
  const row = part > 0 ? frame + 1 : frame;
  return [touches.first[row], touches.first[row + 1]];
}

/** The same arrows from where things touch. */
function drawTouches(place, forces, reach, paint) {
  const { points, onLoads } = touches;
  const [from, to] = touchesAt(place);
  for (let k = from; k < to; k++) {
    const [x, y, fx, fy] = [points[2 * k], points[2 * k + 1], forces[2 * k], forces[2 * k + 1]];
    drawForce(x, y, [fx, fy], reach, onLoads[k] ? () => colour.contact : paint);
  }
}

/** Dots where things touch. */
function drawTouchPoints(place) {
  const { points } = touches;
  const [from, to] = touchesAt(place);
  pen.fillStyle = colour.text;
  for (let k = 2 * from; k < 2 * to; k += 2) {
    pen.beginPath();
    pen.arc(...toScreen(points[k], points[k + 1]), 2.5, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawArrow(x, y, angle, length, paint) {
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
  pen.strokeStyle = colour.stage;
  pen.lineWidth = 2;
  pen.stroke();
  pen.fillStyle = paint;
  pen.fill();
  pen.restore();
}

/** One cell of the grid as a scale bar, and beside it arrows of a round force. */
function drawScale(cell) {
  const y = camera.height - 14;
  const width = cell * camera.scale;
  let x = 14;
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
    [shown.contact, run.contact_reach, guided ? colour.quiet : colour.contact],
    [shown.friction, run.friction_reach, colour.ground],
  ];
  for (const [visible, reach, paint] of kinds) {
    if (!visible) continue;
    const force = roundNumber(clamp(camera.width / 5, 50, 90) / camera.scale / reach);
    const length = force * reach * camera.scale;
    drawArrow(x, y, 0, length, paint);
    x = writeAbove(`${plain(force)} N`, x, y, length);
  }
}

/** Words above something of a length; returns where the next may begin. */
function writeAbove(words, x, y, length) {
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  pen.lineWidth = 3;
  pen.lineJoin = "round";
  pen.strokeStyle = colour.stage;
  pen.strokeText(words, x, y - 7);
  pen.fillStyle = colour.text;
  pen.fillText(words, x, y - 7);
  return x + Math.max(length, pen.measureText(words).width) + 22;
}

/** A round number without the digits of rounding errors. */
function plain(value) {
  return String(Number(value.toPrecision(6)));
}

function lengthWords(metres) {
  if (metres >= 0.995) return `${plain(metres)} m`;
  return metres >= 0.00995 ? `${plain(100 * metres)} cm` : `${plain(1000 * metres)} mm`;
}
