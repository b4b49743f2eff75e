// The chosen link: picked in the picture or in the list, marked in the picture and the plots.

/** Number of the link; NaN: none. */
let chosenLink = NaN;
const linkList = document.getElementById("link");

const mostLinks = Math.max(...runs.map((run) => run.links));
for (let k = 0; k < mostLinks; k++) {
  const end = k === 0 ? " (tail)" : !compared && k === mostLinks - 1 ? " (head)" : "";
  linkList.append(new Option(`link ${k}${end}`, k));
}

/** Choose a link by its number, or none with NaN. */
function chooseLink(k) {
  chosenLink = k;
  linkList.value = Number.isNaN(k) ? "" : k;
  updateCharts();
  redraw();
}

/** The link before or after the chosen one, and none between head and tail. */
function stepLink(count) {
  const none = mostLinks; // in a round of all links and none
  const from = Number.isNaN(chosenLink) ? none : chosenLink;
  const to = (from + count + none + 1) % (none + 1);
  chooseLink(to === none ? NaN : to);
}

/** Choose the link at a point of the stage, or none where there is no link. */
function pickLink(px, py) {
  const box = paneAt(px, py);
  const [x, y] = toPlane(px, py, box);
  let best = { distance: 10 / camera.scale, link: NaN };
  for (const run of box.runs) {
    const pose = run.poseAt(run.locate(now));
    for (let k = 0; k < run.links; k++) {
      const distance = distanceTo(run, pose, k, x, y);
      if (distance < best.distance) best = { distance, link: k };
    }
  }
  chooseLink(best.link);
}

/** Distance of a point of the plane from the outline of link k, m; negative inside. */
function distanceTo({ data }, pose, k, x, y) {
  const [dx, dy] = [x - pose.x[k], y - pose.y[k]];
  const [cos, sin] = [Math.cos(pose.theta[k]), Math.sin(pose.theta[k])];
  const half = data.straight[k] / 2;
  const along = clamp(dx * cos + dy * sin, -half, half);
  return Math.hypot(dx - along * cos, dy - along * sin) - data.radius[k];
}

/** A ring around link k, and its number beside it. */
function drawChosen({ data }, pose, k) {
  const radius = data.radius[k] * camera.scale + 4;
  const half = (data.straight[k] / 2) * camera.scale;
  const [px, py] = toScreen(pose.x[k], pose.y[k]);
  pen.save();
  pen.translate(px, py);
  pen.save();
  pen.rotate(-pose.theta[k]);
  outlinePath(half, radius);
  pen.restore();
  for (const [paint, width] of [[colour.stage, 6], [colour.text, 2.5]]) {
    pen.strokeStyle = paint;
    pen.lineWidth = width;
    pen.stroke();
  }
  pen.font = "600 12px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  writeClearly(`link ${k}`, 0, -Math.abs(half * Math.sin(pose.theta[k])) - radius - 4);
  pen.restore();
}

linkList.addEventListener("change", () => {
  chooseLink(linkList.value === "" ? NaN : Number(linkList.value));
});
