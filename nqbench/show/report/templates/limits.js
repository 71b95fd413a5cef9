"use strict";
// Time limits and unsolved runs: dashed lines, crosses, and the sentences about them.
const CROSS = "M-1,-1L1,1M1,-1L-1,1";

// A limit is drawn if a time comes within a factor of ten of it.
function limitsNear(rows, highest) {
  const limits = different(rows.flatMap((row) => row.limits ?? row.time_limit_s));
  const near = limits.filter((limit) => greatest(rows.map(highest)) >= limit / 10);
  return { near, far: limits.filter((limit) => !near.includes(limit)) };
}
const inTimes = (values) => values.map((value) => duration(value, 3)).join(", ");
function limitNote({ near, far }, drawn) {
  const line = near.length ? `Dashed line: time limit (${inTimes(near)})${drawn}.` : "";
  const off = far.length
    ? `The time limit (${inTimes(far)}) is more than ten times as long as any time here, and not drawn.` : "";
  return [line, off].filter(Boolean).join(" ");
}
// What is left out where combinations are compared.
function commonNote(rows) {
  const all = groupsOf(possible(rows), ...THERE).length;
  const common = groupsOf(onCommon(rows), ...THERE).length;
  return common === all ? "" : `Only the ${common} of ${all} problems that every combination ran on.`;
}
// The same beside the table, in the words of `nqbench.summary.coverage`.
function coverageNote(rows, noun) {
  const all = groupsOf(possible(rows), ...THERE).length;
  const common = groupsOf(onCommon(rows), ...THERE).length;
  if (common === all) return "";
  return common
    ? `Times and order are of the ${grouped(common)} of ${grouped(all)} ${noun}s that every combination was measured on.`
    : `No ${noun} was measured with every combination: times are not comparable, and there is no order.`;
}
// What the bands or bars of these spreads show.
function spreadNote(rows) {
  const run = rows.some((row) => row.boards > 1) ? ["run", " with the same n"] : ["repeat", ""];
  const end = rows.some((row) => row.middle) ? `the middle half of the ${run[0]}s` : `fastest to slowest ${run[0]}`;
  return `${end}${run[1]}.`;
}
const crossesNote = (rows) =>
  unsolved(rows) ? "; a cross on it: some or all runs were not solved" : "";

const unsolved = (rows) => rows.some((row) => row.unsolved);
// Crosses at the limit, for points with unsolved runs.
const crosses = (rows, encoding) => (unsolved(rows) ? [{
  transform: [{ filter: "datum.unsolved > 0" }],
  mark: { type: "point", shape: CROSS, size: 50, strokeWidth: 2, filled: false, opacity: 1 },
  encoding,
}] : []);
// A median at the limit is not a time, so a cross is drawn instead.
const timed = (rows) => (unsolved(rows)
  ? { transform: [{ filter: "!(datum.unsolved > 0 && datum.median_s >= datum.time_limit_s)" }] } : {});
// A line at each near limit, in every panel.
const limitLines = ({ near }, y) => (near.length ? [{
  transform: [
    { aggregate: [], groupby: ["time_limit_s", DASHED.field] },
    { filter: { field: "time_limit_s", oneOf: near } },
  ],
  mark: { type: "rule", strokeDash: [4, 3], strokeWidth: 1, color: ink() },
  encoding: { y: { ...y, field: "time_limit_s" } },
}] : []);
