// Drawing what only some runs have: loads, and wheels under the links.

/** Loads to scale; the line from the centre is the load's own x axis. */
function drawLoads(run, pose) {
  pen.lineJoin = "round";
  pen.fillStyle = colour.load;
  pen.strokeStyle = compared ? paintsOf(run).stick : colour["load-edge"];
  run.data.loads.forEach(({ half, rounding }, k) => {
    const [across, up, radius] = [half[0], half[1], rounding].map((size) => size * camera.scale);
    pen.save();
    pen.translate(...toScreen(pose.x[k], pose.y[k]));
    pen.rotate(-pose.theta[k]);
    pen.beginPath();
    pen.arc(across, up, radius, 0, Math.PI / 2);
    pen.arc(-across, up, radius, Math.PI / 2, Math.PI);
    pen.arc(-across, -up, radius, Math.PI, 1.5 * Math.PI);
    pen.arc(across, -up, radius, 1.5 * Math.PI, 2 * Math.PI);
    pen.closePath();
    pen.lineWidth = 1.5;
    pen.fill();
    pen.stroke();
    pen.beginPath();
    pen.moveTo(0, 0);
    pen.lineTo(across + radius, 0);
    pen.lineWidth = 1.25;
    pen.stroke();
    pen.restore();
  });
}

/** Paths of the loads' centres from the start until now, and the centres. */
function drawLoadTrails(run, pose, place) {
  const count = run.data.loads.length;
  const { loadX, loadY } = run;
  pen.strokeStyle = pen.fillStyle = compared ? paintsOf(run).stick : colour["load-edge"];
  pen.lineWidth = 1.25;
  pen.setLineDash([5, 3]);
  for (let k = 0; k < count; k++) {
    if (!run.moved[k]) continue;
    pen.beginPath();
    for (let frame = 0; frame <= place.frame; frame++) {
      pen.lineTo(...toScreen(loadX[frame * count + k], loadY[frame * count + k]));
    }
    pen.lineTo(...toScreen(pose.x[k], pose.y[k]));
    pen.stroke();
  }
  pen.setLineDash([]);
  for (let k = 0; k < count; k++) {
    pen.beginPath();
    pen.arc(...toScreen(pose.x[k], pose.y[k]), 2.5, 0, 2 * Math.PI);
    pen.fill();
  }
}

/** Wheels on both sides of a link, in whose axes the pen is; lifted ones are hollow. */
function drawWheels({ aside, length, width, lifted }) {
  const [beside, along, across] = [aside, length, width].map((size) => size * camera.scale);
  pen.fillStyle = lifted ? colour.stage : colour.wheel;
  pen.strokeStyle = colour.wheel;
  pen.lineWidth = 1;
  for (const side of [-1, 1]) {
    const box = [-along, side * beside - across, 2 * along, 2 * across];
    pen.fillRect(...box);
    pen.strokeRect(...box);
  }
  pen.lineWidth = 1.25;
}
