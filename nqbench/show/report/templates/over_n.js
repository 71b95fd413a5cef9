"use strict";
// Draws time over n: a panel for each backend, or one panel if there is only one encoding.
function chartOverN({ rows: runs, time, scale }, width) {
  const rows = overN(runs, time).filter((row) => scale === "linear" || row.low_s > 0);
  const limits = limitsNear(rows, (row) => row.high_s);
  // Rows of equal length, so that no panel is alone.
  const panels = different(rows.map((row) => row[DASHED.field])).length || 1;
  const most = Math.max(1, Math.min(4, Math.floor(width / 300)));
  const columns = Math.ceil(panels / Math.ceil(panels / most));
  const panel = Math.floor((width - 70) / columns) - 24;
  const y = times([...rows.flatMap((row) => [row.low_s, row.high_s]), ...limits.near], scale, time);
  const tips = tooltip("encoding", "backend", "n", "median_s", "low_s", "high_s", "runs", "unsolved");
  const x = sizesOf(rows, panel);
  const specification = {
    data: { values: rows },
    facet: { field: DASHED.field, type: "nominal", title: null },
    columns,
    spec: {
      width: panel, height: 200,
      layer: [
        ...limitLines(limits, y),
        {
          mark: { type: "area", fillOpacity: 0.2 },
          encoding: { x, ...colours(width), y: { ...y, field: "low_s" }, y2: { field: "high_s" } },
        },
        {
          mark: { type: "line", strokeWidth: 1.5 },
          encoding: { x, ...colours(width), y: { ...y, field: "median_s" } },
        },
        {
          ...timed(rows),
          mark: { type: "point", size: 30, filled: true, opacity: 1 },
          encoding: { x, ...colours(width), ...shapes(width), y: { ...y, field: "median_s" }, tooltip: tips },
        },
        ...crosses(rows, { x, ...colours(width), y: { ...y, field: "time_limit_s" }, tooltip: tips }),
      ],
    },
  };
  return { specification, note: `Band: ${spreadNote(rows)} ${limitNote(limits, crossesNote(rows))}`, empty: !rows.length };
}
CHARTS["over-n"] = chartOverN;
