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
// A capped run was stopped by a race: it is neither solved nor unsolved.
const UNMEASURED = ["unavailable", "capped"];
const isMeasured = (row) => !UNMEASURED.includes(RUN.outcome(row));
// The time of a run: the limit if the run is unsolved, null if it was not measured.
function timeOf(row, time) {
  if (RUN.solved(row)) return seconds(row, time);
  return isMeasured(row) ? limitOf(row) : null;
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

// The linear interpolation between the two values around a quantile.
function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}
const MANY = 10;
// The spread of each group: from quartile to quartile if most groups have many runs.
function spreads(groups, time) {
  const middle = 2 * groups.filter((rows) => rows.length >= MANY).length > groups.length;
  return groups.map((rows) => {
    const times = rows.map((row) => timeOf(row, time));
    return {
      median_s: median(times), low_s: middle ? quantile(times, 0.25) : least(times),
      high_s: middle ? quantile(times, 0.75) : greatest(times), runs: rows.length, middle,
      boards: groupsOf(rows, "family", "instance", "n", "task").length,
      unsolved: rows.filter((row) => !RUN.solved(row)).length,
      time_limit_s: greatest(rows.map(limitOf)),
    };
  });
}
const measured = (rows) => rows.filter(isMeasured);

function overN(rows, time) {
  const boards = measured(rows).filter((row) => RUN.n(row) !== null);
  const groups = groupsOf(boards, "encoding", "backend", "n");
  const found = spreads(groups, time);
  return groups.map((group, i) => ({
    ...fields(group[0], "encoding", "backend", "n"), ...found[i],
  })).sort((a, b) => byName(a, b) || a.n - b.n);
}

function overInstances(rows, time) {
  const formulas = measured(rows).filter(
    (row) => RUN.n(row) === null && RUN.outcome(row) !== "invalid",
  );
  const groups = groupsOf(formulas, "instance", "encoding", "backend");
  const found = spreads(groups, time);
  const table = groups.map((group, i) => ({
    ...fields(group[0], "instance", "encoding", "backend"), ...found[i],
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
  for (const group of groupsOf(onCommon(rows), "encoding", "backend", "family", "instance", "n", "task")) {
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
const THERE = ["family", "instance", "n", "task", "machine"];
const pairsOf = (rows) => groupsOf(rows, "encoding", "backend");
const possible = (rows) => measured(rows).filter((row) => RUN.outcome(row) !== "invalid");
// The runs on the problems, on each machine under one time limit, that all combinations were measured
// on; of each problem equally many of each combination, the first ones.
function onCommon(rows) {
  const runs = possible(rows);
  const pairs = pairsOf(runs).length;
  return groupsOf(runs, ...THERE, "time_limit_s").flatMap((group) => {
    const own = pairsOf(group);
    if (own.length < pairs) return [];
    const repeats = Math.min(...own.map((each) => each.length));
    return own.flatMap((each) => [...each].sort((a, b) => RUN.repeat(a) - RUN.repeat(b)).slice(0, repeats));
  });
}
// A median, or null if there is no value, or if the value in the middle is not known.
function known(values) {
  const found = values.filter((value) => value !== null);
  const middle = found.length ? median(found) : null;
  return middle === Infinity ? null : middle;
}
// What a phase took. An unsolved run that did not report it took longer than anything.
const phase = (row, value) => value ?? (RUN.outcome(row) === "finished" ? null : Infinity);
// Runs on one formula share the measurement of its encoding.
function encodeTimes(rows) {
  const times = new Map();
  for (const group of groupsOf(rows, "encoding", ...THERE)) {
    const shared = known(group.map((row) => seconds(row, "encode_s")));
    for (const row of group) times.set(row, seconds(row, "encode_s") ?? shared);
  }
  return times;
}
function paid(group, time, encoded) {
  const cost = (row) => (RUN.solved(row) ? timeOf(row, time) : 2 * limitOf(row));
  const costs = groupsOf(group, ...THERE).map((runs) => runs.map(cost).filter((value) => value !== null));
  const par2 = costs.filter((values) => values.length).map(mean);
  return {
    encode_s: known(group.map((row) => phase(row, encoded.get(row)))),
    load_s: known(group.map((row) => phase(row, seconds(row, "load_s")))),
    solve_s: known(group.map((row) => timeOf(row, "solve_s"))),
    total_s: known(group.map((row) => timeOf(row, "total_s"))),
    median_s: known(group.map((row) => timeOf(row, time))),
    par2_s: par2.length ? mean(par2) : null,
  };
}
const UNPAID = { encode_s: null, load_s: null, solve_s: null, total_s: null, median_s: null, par2_s: null };
function overview(rows, time) {
  const valid = rows.filter((row) => !["invalid", "capped"].includes(RUN.outcome(row)));
  const compared = onCommon(valid);
  const encoded = encodeTimes(compared);
  const key = (row) => `${RUN.encoding(row)}\n${RUN.backend(row)}`;
  const own = new Map(pairsOf(compared).map((group) => [key(group[0]), group]));
  return pairsOf(valid).map((group) => {
    const timed = own.get(key(group[0]));
    return {
      ...fields(group[0], "encoding", "backend"),
      runs: group.length,
      solved: group.filter(RUN.solved).length,
      ...(timed ? paid(timed, time, encoded) : UNPAID),
      largest_n: largestN(group),
      wrong: group.filter((row) => RUN.verdict(row) === "refuted").length,
      unsolved: reasons(group.filter((row) => !RUN.solved(row))),
    };
  }).sort((a, b) => (a.par2_s ?? Infinity) - (b.par2_s ?? Infinity) || byName(a, b));
}

// The mean time of each phase of the finished runs.
function phases(rows) {
  const average = (values) => {
    const found = values.filter((value) => value !== null);
    return found.length ? mean(found) : null;
  };
  return pairsOf(rows.filter((row) => RUN.outcome(row) === "finished")).map((group) => {
    const [encode, load, solve, wall] = ["encode_s", "load_s", "solve_s", "wall_s"]
      .map((name) => (row) => seconds(row, name));
    const other = (row) => {
      const parts = [wall(row), load(row), solve(row)];
      return parts.includes(null) ? null : parts[0] - parts[1] - parts[2];
    };
    const means = Object.entries({ encode_s: encode, load_s: load, solve_s: solve, other_s: other })
      .map(([name, time]) => [name, average(group.map(time))]);
    return { ...fields(group[0], "encoding", "backend"), ...Object.fromEntries(means) };
  });
}

// The sizes of the formulas of these runs. They depend on neither the backend nor the time.
function sizes(rows) {
  const key = (family, encoding, n) => `${family}\n${encoding}\n${n}`;
  const there = new Set(groupsOf(rows, "family", "encoding", "n")
    .map(([row]) => key(RUN.family(row), RUN.encoding(row), RUN.n(row))));
  const columns = Object.entries(DATA.sizes.columns).map(([name, column]) => [name, reader(column)]);
  const table = Array.from({ length: DATA.sizes.count }, (_, row) =>
    Object.fromEntries(columns.map(([name, value]) => [name, value(row)])));
  return table.filter((row) => there.has(key(row.family, row.encoding, row.n)));
}
