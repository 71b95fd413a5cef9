"use strict";
// Repeats the computations of nqbench.summary for the runs that the controls choose.
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
function median(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

const seconds = (row, name) => {
  const value = RUN[name](row);
  return value === null ? null : value * DATA.unit.size;
};
const limitOf = (row) => seconds(row, "time_limit_s");
// The time of a run: the limit if the run is unsolved, null if its solver was unavailable.
function timeOf(row, time) {
  if (RUN.solved(row)) return seconds(row, time);
  return RUN.outcome(row) === "unavailable" ? null : limitOf(row);
}

function groupsOf(rows, ...keys) {
  const columns = keys.map(codesOf).filter(({ values }) => values.length > 1);
  const groups = new Map();
  for (const row of rows) {
    let key = 0;
    for (const { codes, values } of columns) key = key * values.length + codes[row];
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}
const fields = (row, ...names) => Object.fromEntries(names.map((name) => [name, RUN[name](row)]));
const byName = (a, b) =>
  a.encoding === b.encoding ? (a.backend < b.backend ? -1 : 1) : a.encoding < b.encoding ? -1 : 1;

function spread(rows, time) {
  const times = rows.map((row) => timeOf(row, time));
  return {
    median_s: median(times), low_s: least(times), high_s: greatest(times), runs: rows.length,
    unsolved: rows.filter((row) => !RUN.solved(row)).length,
    time_limit_s: greatest(rows.map(limitOf)),
  };
}
const measured = (rows) => rows.filter((row) => RUN.outcome(row) !== "unavailable");

function overN(rows, time) {
  const boards = measured(rows).filter((row) => RUN.n(row) !== null);
  return groupsOf(boards, "encoding", "backend", "n").map((group) => ({
    ...fields(group[0], "encoding", "backend", "n"), ...spread(group, time),
  })).sort((a, b) => byName(a, b) || a.n - b.n);
}

function overInstances(rows, time) {
  const formulas = measured(rows).filter(
    (row) => RUN.n(row) === null && RUN.outcome(row) !== "invalid",
  );
  const table = groupsOf(formulas, "instance", "encoding", "backend").map((group) => ({
    ...fields(group[0], "instance", "encoding", "backend"), ...spread(group, time),
    clauses: greatest(group.map(RUN.clauses)),
  }));
  const best = new Map();
  for (const { instance, median_s } of table) {
    best.set(instance, Math.min(median_s, best.get(instance) ?? Infinity));
  }
  const order = [...best].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  const places = new Map(order.map(([instance], i) => [instance, i + 1]));
  return table.map((row) => ({ ...row, place: places.get(row.instance) }));
}

// Boards that each combination solves within a time; an empty list if it solves no board.
function cactus(rows, time) {
  const lines = new Map();
  const possible = measured(rows).filter((row) => RUN.outcome(row) !== "invalid");
  for (const group of groupsOf(possible, "encoding", "backend", "family", "instance", "n", "task")) {
    const pair = fields(group[0], "encoding", "backend");
    const line = lines.get(`${pair.encoding}\n${pair.backend}`) || { ...pair, times: [], limits: [] };
    lines.set(`${pair.encoding}\n${pair.backend}`, line);
    line.limits.push(limitOf(group[0]));
    if (mean(group.map(RUN.solved)) > 0.5) line.times.push(median(group.map((row) => timeOf(row, time))));
  }
  return [...lines.values()].sort(byName).map((line) => ({ ...line, times: line.times.sort((a, b) => a - b) }));
}

const UNSOLVED = ["timeout", "memout", "crashed", "unavailable", "skipped"];
function reasons(rows) {
  const counts = UNSOLVED.map((name) => [rows.filter((row) => RUN.outcome(row) === name).length, name]);
  counts.push([rows.filter((row) => RUN.answer(row) === "unknown").length, "unknown"]);
  return counts.filter(([count]) => count).map((pair) => pair.join(" ")).join(", ");
}
function largestN(rows) {
  const boards = groupsOf(rows.filter((row) => RUN.n(row) !== null), "n");
  const solved = boards.filter((group) => group.every(RUN.solved)).map((group) => RUN.n(group[0]));
  return solved.length ? greatest(solved) : null;
}
function overview(rows, time) {
  const valid = rows.filter((row) => RUN.outcome(row) !== "invalid");
  return groupsOf(valid, "encoding", "backend").map((group) => {
    const timed = measured(group);
    const costs = timed.map((row) => (RUN.solved(row) ? timeOf(row, time) : 2 * limitOf(row)));
    return {
      ...fields(group[0], "encoding", "backend"),
      runs: group.length,
      solved: group.filter(RUN.solved).length,
      median_s: timed.length ? median(timed.map((row) => timeOf(row, time))) : null,
      par2_s: timed.length ? mean(costs) : null,
      largest_n: largestN(group),
      wrong: group.filter((row) => RUN.verdict(row) === "refuted").length,
      unsolved: reasons(group.filter((row) => !RUN.solved(row))),
    };
  }).sort((a, b) => (a.par2_s ?? Infinity) - (b.par2_s ?? Infinity) || byName(a, b));
}

// The sizes of the formulas of these runs. They depend on neither the backend nor the time.
function sizes(rows) {
  const there = new Set(groupsOf(rows, "encoding", "n").map(([row]) => `${RUN.encoding(row)}\n${RUN.n(row)}`));
  const columns = Object.entries(DATA.sizes.columns).map(([name, column]) => [name, reader(column)]);
  const table = Array.from({ length: DATA.sizes.count }, (_, row) =>
    Object.fromEntries(columns.map(([name, value]) => [name, value(row)])));
  return table.filter((row) => there.has(`${row.encoding}\n${row.n}`));
}
