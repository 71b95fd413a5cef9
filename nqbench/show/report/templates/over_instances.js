"use strict";
// Draws the time of each formula, for formulas without n.
const MOST_PLACES = 40;
// The names of the formulas if there is room for them, otherwise their places.
function placesOf(rows, width) {
  const last = Math.max(1, greatest(rows.map((row) => row.place)));
  const names = [];
  for (const row of rows) names[row.place - 1] = row.instance;
  const named = last <= MOST_PLACES && width / last > 16;
  const axis = {
    values: Array.from({ length: last }, (_, i) => i + 1), labelAngle: -40, labelLimit: 120, labelOverlap: false,
    labelExpr: `${JSON.stringify(names)}[datum.value - 1]`, title: null,
  };
  return {
    field: "x", type: "quantitative", title: "formula, in the order of the fastest time",
    ...(named ? { axis } : whole(1, last, width)), scale: { domain: [0.4, last + 0.6], nice: false },
  };
}
function chartOverInstances({ rows: runs, time, scale }, width) {
  // Marks are side by side at the place of the formula, so that equal times stay visible.
  const aside = (row) => (0.5 * (BACKENDS.indexOf(row.backend) + 0.5)) / BACKENDS.length - 0.25;
  const rows = overInstances(runs, time).filter((row) => scale === "linear" || row.low_s > 0)
    .map((row) => ({ ...row, x: row.place + aside(row) }));
  const limits = limitsNear(rows, (row) => row.high_s);
  const y = times([...rows.flatMap((row) => [row.low_s, row.high_s]), ...limits.near], scale, time);
  const x = placesOf(rows, width);
  const tips = tooltip("instance", ...NAMED, "backend", "median_s", "low_s", "high_s", "runs", "unsolved", "clauses");
  const specification = {
    data: { values: rows }, width, height: 320, ...WHOLE,
    layer: [
      ...limitLines(limits, y),
      {
        mark: { type: "rule" },
        encoding: { x, ...colours(width), y: { ...y, field: "low_s" }, y2: { field: "high_s" } },
      },
      {
        ...timed(rows),
        mark: { type: "point", size: 44, filled: true, opacity: 0.9 },
        encoding: { x, ...colours(width), ...shapes(width), y: { ...y, field: "median_s" }, tooltip: tips },
      },
      ...crosses(rows, { x, ...colours(width), y: { ...y, field: "time_limit_s" }, tooltip: tips }),
    ],
  };
  return { specification, note: `Bar: ${spreadNote(rows)} ${limitNote(limits, crossesNote(rows))}`, empty: !rows.length };
}
CHARTS["over-instances"] = chartOverInstances;
