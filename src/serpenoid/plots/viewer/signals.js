// Signals: everything recorded, as lines over time.

/** Signals by name; a choice of lines: {name, entries: "all", "chosen" or numbers, part}. */
const variables = new Map(content.variables.map((each) => [each.name, each]));

/** Entries of the ledger that are large enough to be drawn, of a single run in one plot. */
const LEDGER = "energy";
if (!compared) {
  variables.set(LEDGER, {
    ...{ name: LEDGER, label: "Energy ledger", unit: "J", of: "", parts: [] },
    ...{ meaning: "works since the start and kinetic energy", recorded: false },
  });
}

/** Values of a variable of a run, (row, entry, part); null if it has none. */
function signalOf(run, name) {
  run.signals ??= new Map();
  if (!run.signals.has(name)) run.signals.set(name, readSignal(run, name));
  return run.signals.get(name);
}

function readSignal(run, name) {
  const also = run.data.signals.values[name];
  if (name === "joint_rate") return jointRates(run);
  const times = also ? decode(run.data.signals.time) : run.time;
  const values = also ? decode(also) : drawnSignal(run, name);
  return values && { times, values, width: values.length / times.length, written: writerOf(run, name) };
}

/** Values that are packed under another name, or told from others. */
const PACKED = {
  ...{ contact_force: "contact", friction_force: "friction", load_force: "load_contact" },
  ...{ centre_of_mass: "centre", joint_angle: "theta", spring_torque: "spring" },
};

/** A function that writes values of a variable with no more digits than the page knows of them. */
function writerOf({ data }, name) {
  const packed =
    data.signals.values[name] ??
    data.energy.find(({ column }) => column === name)?.values ??
    data[PACKED[name] ?? name];
  if (packed?.type === "f8" && packed.step === 1) return (value) => Number(value.toPrecision(9));
  if (!packed || packed.type === "f4") return (value) => Number(value.toPrecision(7));
  const decimals = clamp(Math.ceil(-Math.log10(packed.step) - 1e-9), 0, 15);
  return (value) => Number(value.toFixed(decimals));
}

/** Values of a variable that the picture needs as well. */
function drawnSignal(run, name) {
  const { data } = run;
  const energy = data.energy.find(({ column }) => column === name);
  if (energy) return decode(energy.values);
  const [links, loads] = [run.links, data.loads.length];
  const readers = {
    speed: () => decode(data.speed),
    centre_of_mass: () => run.centre,
    x: () => run.besideX.map((x, k) => x + run.centre[2 * Math.floor(k / links)]),
    y: () => run.besideY.map((y, k) => y + run.centre[2 * Math.floor(k / links) + 1]),
    theta: () => run.theta,
    joint_angle: () => acrossJoints(run.links, run.theta),
    sticking: () => perFrame(run, links, (frame, k) => run.isHeld(k, frame)),
    contact_force: () => run.contact ?? new Float64Array(2 * links * run.frames),
    friction_force: () => run.friction ?? new Float64Array(2 * links * run.frames),
    load_x: () => run.loadX,
    load_y: () => run.loadY,
    load_theta: () => run.loadTheta,
    load_force: () => loads && (run.loadContact ?? new Float64Array(2 * loads * run.frames)),
    load_friction: () => loads && (run.loadFriction ?? new Float64Array(2 * loads * run.frames)),
    spring_torque: () => data.spring && decode(data.spring),
  };
  return readers[name]?.() || null;
}

/** A number for each of `count` things in each frame. */
function perFrame(run, count, value) {
  const all = new Float64Array(run.frames * count);
  return all.map((_, k) => value(Math.floor(k / count), k % count));
}

/** Differences of a variable of the links across the joints. */
function acrossJoints(links, values) {
  const all = new Float64Array((values.length / links) * (links - 1));
  return all.map((_, at) => {
    const behind = Math.floor(at / (links - 1)) * links + (at % (links - 1));
    return values[behind + 1] - values[behind];
  });
}

function jointRates(run) {
  const { times, values, written } = signalOf(run, "omega");
  return { times, values: acrossJoints(run.links, values), width: run.links - 1, written };
}

/** How many links, joints, loads a variable has in a run; 1 if it is of the run as a whole. */
function entriesOf(run, { of }) {
  return { link: run.links, joint: run.links - 1, load: run.data.loads.length }[of] ?? 1;
}

/** The most entries that a variable has in any run. */
function mostEntries(variable) {
  return Math.max(...runs.map((run) => (signalOf(run, variable.name) ? entriesOf(run, variable) : 0)));
}

/** Whether entry k of a variable belongs to the chosen link: the link, or a joint beside it. */
function isChosen({ of }, k) {
  if (of === "link") return k === chosenLink;
  return of === "joint" && (k === chosenLink || k === chosenLink - 1);
}

/** Numbers of the entries of a choice that a run has. */
function chosenEntries(run, variable, entries) {
  const all = [...Array(entriesOf(run, variable)).keys()];
  if (entries === "all" || !variable.of) return all;
  if (entries === "chosen") return all.filter((k) => isChosen(variable, k));
  return all.filter((k) => entries.includes(k));
}

const SIZE = "size";
const EACH = "x and y"; // both parts, a line for each

/** The parts of a vector that a choice shows; a single nameless one of what is none. */
function partsOf({ parts }, part) {
  if (!parts.length) return [""];
  return part === EACH ? parts : [part];
}

/** One part of an entry of a vector, or its size. */
function partOf({ values, width }, variable, k, part) {
  const count = variable.parts.length;
  if (count === 0) return column(values, width, k);
  const parts = variable.parts.map((_, axis) => column(values, width, k * count + axis));
  if (part !== SIZE) return parts[variable.parts.indexOf(part)];
  return parts[0].map((_, row) => Math.hypot(...parts.map((each) => each[row])));
}

/** Lines of a choice: name, times, values, colour, place in tables, whether of the chosen link. */
function linesOf({ name, entries, part }) {
  if (name === LEDGER) return ledgerLines();
  const variable = variables.get(name);
  return runs.flatMap((run) => {
    const signal = signalOf(run, name);
    if (!signal) return [];
    const numbers = chosenEntries(run, variable, entries);
    const parts = partsOf(variable, part);
    const several = parts.length > 1;
    const each = numbers.flatMap((k) => parts.map((one) => [k, one]));
    return each.map(([k, one], place) => ({
      run,
      name: [lineName(run, variable, k, numbers.length), several && one].filter(Boolean).join(", "),
      key: lineKey(run, variable, k, one),
      unit: variable.unit,
      ...{ times: signal.times, written: signal.written },
      values: partOf(signal, variable, k, one),
      paint: () => linePaint(run, place, each.length),
      stands: variable.of !== "" && isChosen(variable, k),
    }));
  });
}

function ledgerLines() {
  const [run] = runs;
  return run.data.energy.map(({ name, column, paint }) => ({
    ...{ run, name, key: column, unit: "J", ...signalOf(run, column) },
    ...{ paint: () => colour[paint], stands: false },
  }));
}

function lineName(run, { of }, k, count) {
  const entry = of ? `${of} ${k}` : "";
  if (!compared) return entry;
  return entry && count > 1 ? `${run.name}, ${entry}` : run.name;
}

/** Name of a column in a table: the variable's own, the entry, the part, and the run. */
function lineKey(run, { name, of, parts }, k, part) {
  const entry = of ? `[${k}]` : "";
  const of_run = compared ? ` of ${run.name}` : "";
  return name + entry + (parts.length ? `.${part}` : "") + of_run;
}

const FEW = ["actuator", "contact", "ground", "kinetic", "gravity", "spring", "other"];

/** Among several runs the run's colour; of one run many from tail to head, few apart. */
function linePaint(run, place, count) {
  if (compared) return colour[`run-${run.index}`];
  if (count <= FEW.length) return colour[FEW[place]];
  return mix(colour["tail-end"], colour["head-end"], place / (count - 1));
}
