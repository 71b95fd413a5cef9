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

function chartSizes({ rows: runs, scale: type }, width) {
  const rows = sizes(runs).filter((row) => type === "linear" || row.clauses > 0);
  const y = scaled(rows.map((row) => row.clauses), type, { format: "~s" });
  const clauses = { field: "clauses", type: "quantitative", title: "clauses", ...y };
  const look = COLOURED.field === "encoding" ? colours(width) : {};
  const specification = {
    data: { values: rows }, width, height: SIZES_HEIGHT, ...WHOLE,
    encoding: { x: sizesOf(rows, width - 150) },
    layer: [
      { mark: { type: "line", color: ink() }, encoding: { y: clauses, ...look } },
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
