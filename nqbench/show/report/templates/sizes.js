"use strict";
// Draws the sizes of the formulas.
const LABEL = 11;
const SIZES_HEIGHT = 300;

// Labels at the ends of the lines. Labels at the same n are moved apart until all are readable.
function apart(ends, type, [low, high], height) {
  const [there, back] = type === "log" ? [Math.log, Math.exp] : [Number, Number];
  const step = (LABEL * (there(high) - there(low))) / height;
  const sorted = [...ends].sort((a, b) => a.clauses - b.clauses);
  const at = sorted.map((row) => there(row.clauses));
  for (let i = 1; i < at.length; i += 1) at[i] = Math.max(at[i], at[i - 1] + step);
  let highest = there(high);
  for (let i = at.length - 1; i >= 0; i -= 1, highest = at[i + 1] - step) at[i] = Math.min(at[i], highest);
  return sorted.map((row, i) => ({ ...row, at: back(at[i]) }));
}
function endsOf(rows) {
  const last = new Map(rows.map((row) => [row.encoding, row]));
  const ends = [...last.values()];
  return different(ends.map((row) => row.n)).map((n) => ends.filter((row) => row.n === n));
}

// Lines with the same points cover each other, or nearly. Each has a `twin` number that no line so
// close to it has, from 0, and dashes between which lower numbers show. These are drawn first.
const DASH_LENGTH = 5;
const CLOSE = 0.1;
function twinned(rows) {
  const lines = new Map();
  for (const row of rows) lines.set(row.encoding, (lines.get(row.encoding) || new Map()).set(row.n, row.clauses));
  const close = (one, other) => [...one].every(([n, clauses]) =>
    !other.has(n) || Math.abs(clauses - other.get(n)) <= CLOSE * Math.max(clauses, other.get(n)));
  const twins = new Map();
  for (const [name, line] of lines) {
    const taken = [...twins.keys()].filter((other) => close(line, lines.get(other))).map((other) => twins.get(other));
    let twin = 0;
    while (taken.includes(twin)) twin += 1;
    twins.set(name, twin);
  }
  return rows.map((row) => ({ ...row, twin: twins.get(row.encoding) })).sort((a, b) => a.twin - b.twin);
}

function chartSizes({ rows: runs, scale: type }, width) {
  const rows = twinned(sizes(runs).filter((row) => type === "linear" || row.clauses > 0));
  const y = scaled(rows.map((row) => row.clauses), type, { format: "~s" });
  const clauses = { field: "clauses", type: "quantitative", title: "clauses", ...y };
  const twins = different(rows.map((row) => row.twin));
  const range = twins.map((twin) => [DASH_LENGTH, DASH_LENGTH * twin]);
  const strokeDash = { field: "twin", type: "ordinal", legend: null, scale: { domain: twins, range } };
  const look = COLOURED.field === "encoding" ? colours(width) : {};
  const specification = {
    data: { values: rows }, width, height: SIZES_HEIGHT, ...WHOLE,
    encoding: { x: sizesOf(rows, width - 150) },
    layer: [
      { mark: { type: "line", color: ink() }, encoding: { y: clauses, detail: { field: "encoding" }, strokeDash, ...look } },
      {
        mark: { type: "point", size: 16, filled: true, opacity: 1, color: ink() },
        encoding: {
          y: clauses, detail: { field: "encoding" }, ...look,
          tooltip: tooltip("encoding", "n", "clauses", "variables", "literals"),
        },
      },
      {
        data: { values: endsOf(rows).flatMap((ends) => apart(ends, type, y.scale.domain, SIZES_HEIGHT)) },
        mark: { type: "text", align: "left", dx: 7, fontSize: 10, color: ink() },
        encoding: { y: { ...clauses, field: "at" }, text: { field: "encoding" } },
      },
    ],
  };
  return { specification, note: "", empty: !rows.length };
}
CHARTS["sizes"] = chartSizes;
