"use strict";
// Draws the phases of the finished runs of each combination: a stacked bar each, shortest first.
const MOST_BARS = 40;
const PHASES = [
  ["encode_s", "encode (once a formula)", "#d0d0d0", "#555"],
  ["load_s", "load", "#8f8f8f", "#888"],
  ["solve_s", "solve", "#222", "#eee"],
  ["other_s", "rest of the process", "#f2f2f2", "#2c2c2c"],
];
function chartPhases({ rows: runs }, width) {
  const total = (row) => PHASES.reduce((sum, [name]) => sum + (row[name] ?? 0), 0);
  const bars = phases(onCommon(runs)).sort((a, b) => total(a) - total(b) || byName(a, b)).slice(0, MOST_BARS);
  const named = bars.map((row) => ({ ...row, pair: nameOf(row) }));
  const rows = named.flatMap((row) => PHASES.map(([name, part], order) => ({
    encoding: row.encoding, backend: row.backend, pair: row.pair, part, order, seconds: row[name] ?? 0,
  })));
  const specification = {
    data: { values: rows }, width, height: Math.max(2, bars.length) * 18, ...WHOLE,
    mark: { type: "bar", stroke: "#777", strokeWidth: 0.5 },
    encoding: {
      y: { field: "pair", type: "nominal", title: null, sort: named.map((row) => row.pair), axis: { labelLimit: Math.min(230, width / 2.4) } },
      x: { field: "seconds", type: "quantitative", title: "mean time of a finished run", stack: "zero", axis: { ...asTime(3), tickCount: 5 }, scale: { domain: [0, greatest([...bars.map(total), 0]) || 1] } },
      order: { field: "order", type: "quantitative" },
      color: {
        field: "part", type: "nominal", legend: { ...legend(width), title: null, symbolStrokeWidth: 0.5 },
        scale: { domain: PHASES.map(([, part]) => part), range: PHASES.map(([, , light, black]) => (dark.matches ? black : light)) },
      },
      tooltip: [...tooltip(...NAMED, "backend", "part"), { field: "seconds", type: "quantitative", ...asTime(3) }],
    },
  };
  return { specification, note: commonNote(runs), empty: !rows.length };
}
CHARTS["phases"] = chartPhases;
