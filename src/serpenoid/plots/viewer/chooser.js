// Which signals the plots show: the list of plots, and the dialog that chooses for one of them.

const chooser = document.getElementById("chooser");
const signalList = document.getElementById("signal-list");
const entryBox = document.getElementById("entries");
const chips = document.getElementById("chips");
const partList = document.getElementById("part");
const chartBox = document.querySelector(".charts");
const addButton = document.getElementById("add");
const MOST_CHARTS = 6;

const GROUPS = [
  ["joint", "Joints"],
  ["link", "Links"],
  ["load", "Loads"],
  ["", "The run"],
];

/** Vectors whose size, the distance from the origin, tells little. */
const POSITIONS = ["centre_of_mass"];

const charts = [];
let chooserOf = null; // the plot that the dialog is about

/** What a plot shows of a signal that was not chosen before. */
function firstChoice(name) {
  const { of, parts } = variables.get(name);
  const most = of ? mostEntries(variables.get(name)) : 1;
  // Among several runs one line each can be told apart.
  const middle = [Math.floor(most / 2)];
  const both = compared ? parts[0] : EACH;
  const entries = !compared || most < 2 ? "all" : Number.isNaN(chosenLink) ? middle : "chosen";
  return { name, entries, part: parts.length ? (POSITIONS.includes(name) ? both : SIZE) : "" };
}

/** The entries and part of a choice in words, after the meaning of its signal. */
function wordsOf({ name, entries, part }) {
  const { of, parts } = variables.get(name);
  const which =
    of === "" || entries === "all" ? "" : entries === "chosen" ? `of the chosen link` : numbered(of, entries);
  const size = POSITIONS.includes(name) ? "distance from the origin" : SIZE;
  const words = [parts.length ? (part === SIZE ? size : part) : "", which].filter(Boolean);
  return words.map((each) => `, ${each}`).join("");
}

function numbered(of, entries) {
  return `${of}${entries.length > 1 ? "s" : ""} ${entries.join(", ")}`;
}

function addChart(choice) {
  const chart = new Chart(choice);
  charts.push(chart);
  chart.figure.id = `plot-${charts.length - 1}`;
  chartBox.append(chart.figure);
  countCharts();
  return chart;
}

function removeChart(chart) {
  charts.splice(charts.indexOf(chart), 1);
  chart.figure.remove();
  charts.forEach(({ figure }, k) => (figure.id = `plot-${k}`));
  countCharts();
  drawAll();
  charts[0].button.focus();
}

function countCharts() {
  chartBox.dataset.count = charts.length;
  for (const { remove } of charts) remove.hidden = charts.length === 1;
  addButton.disabled = charts.length === MOST_CHARTS;
}

function updateCharts() {
  for (const chart of charts) {
    chart.update();
    chart.draw();
  }
}

/** Names of the signals that some run has, in groups. */
function listSignals() {
  for (const [of, words] of GROUPS) {
    const group = document.createElement("optgroup");
    group.label = words;
    for (const variable of variables.values()) {
      const there = variable.name === LEDGER || mostEntries(variable) > 0;
      if (variable.of !== of || !there) continue;
      const unit = variable.unit ? ` (${variable.unit})` : "";
      group.append(new Option(variable.label + unit, variable.name));
    }
    if (group.childElementCount) signalList.append(group);
  }
}

function openChooser(chart) {
  chooserOf = chart;
  signalList.value = chart.choice.name;
  fillChooser();
  chooser.showModal();
}

/** Show in the dialog what there is to choose of the signal. */
function fillChooser() {
  const { choice } = chooserOf;
  const variable = variables.get(choice.name);
  const { of, parts } = variable;
  const count = of ? mostEntries(variable) : 0;
  document.getElementById("signal-meaning").textContent = sentence(variable.meaning);
  document.getElementById("signal-column").hidden = !variable.recorded;
  document.getElementById("signal-name").textContent = variable.name;
  document.getElementById("entries-words").textContent = `Which ${of}s`;
  entryBox.hidden = count < 2;
  const picked = (k) => choice.entries === "all" || choice.entries.includes?.(k);
  chips.replaceChildren(
    ...[...Array(count).keys()].map((k) => chip(`${k}`, choice.entries !== "chosen" && picked(k), () => toggleEntry(k))),
  );
  setPressed("all-entries", choice.entries === "all");
  setPressed("chosen-entries", choice.entries === "chosen");
  document.getElementById("chosen-entries").hidden = of === "load";
  partList.parentElement.hidden = parts.length === 0;
  partList.replaceChildren(...[EACH, ...parts, SIZE].map((part) => new Option(part, part)));
  partList.value = choice.part;
}

function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function setPressed(id, on) {
  document.getElementById(id).setAttribute("aria-pressed", on);
}

function chip(words, on, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words;
  button.setAttribute("aria-pressed", on);
  button.addEventListener("click", action);
  return button;
}

/** Change the plot, and the dialog with it. */
function change(values) {
  chooserOf.choose({ ...chooserOf.choice, ...values });
  fillChooser();
  drawAll();
}

function toggleEntry(k) {
  const { entries } = chooserOf.choice;
  // From all to one; else one more, or one less, of which the last remains.
  const some = Array.isArray(entries) ? entries : [];
  const changed = some.includes(k) ? some.filter((each) => each !== k) : [...some, k];
  change({ entries: changed.length ? changed.sort((a, b) => a - b) : some });
  chips.children[k].focus();
}

signalList.addEventListener("change", () => {
  chooserOf.choose(firstChoice(signalList.value));
  fillChooser();
  drawAll();
});
partList.addEventListener("change", () => change({ part: partList.value }));
document.getElementById("all-entries").addEventListener("click", () => change({ entries: "all" }));
document
  .getElementById("chosen-entries")
  .addEventListener("click", () => change({ entries: "chosen" }));

addButton.addEventListener("click", () => {
  const free = ["joint_angle", "joint_torque", "contact_force", "joint_rate", "centre_of_mass"].find(
    (name) => variables.has(name) && !charts.some(({ choice }) => choice.name === name),
  );
  const chart = addChart(firstChoice(free ?? "speed"));
  drawAll();
  openChooser(chart);
});
