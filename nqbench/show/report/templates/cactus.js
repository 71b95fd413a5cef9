"use strict";
// Draws the number of instances solved within a time.
const MOST_POINTS = 2000;
// Keeps every k-th point and the last one of each line, to limit the points of all lines.
function thinned(values, lines) {
  const every = Math.ceil((values.length * lines) / MOST_POINTS);
  return values.filter((_, i) => (i + 1) % every === 0 || i === values.length - 1);
}
function chartCactus({ rows: runs, time, scale }, width) {
  const lines = cactus(runs, time);
  const rows = lines.flatMap(({ encoding, backend, times }) => thinned(
    times.map((time_s, i) => ({ encoding, backend, time_s, instances: i + 1 })), lines.length,
  )).filter((row) => scale === "linear" || row.time_s > 0);
  const solved = lines.filter((line) => line.times.length);
  const limits = limitsNear(solved, (line) => line.times.at(-1));
  const y = times([...rows.map((row) => row.time_s), ...limits.near], scale, time);
  const most = Math.max(1, greatest(rows.map((row) => row.instances)));
  const x = {
    field: "instances", type: "quantitative", title: "instances solved",
    ...whole(1, most, width), scale: { domain: [Math.min(0, most - 2), most], nice: false, padding: 6 },
  };
  const specification = {
    data: { values: rows }, width, height: 320, ...WHOLE,
    layer: [
      ...limits.near.map((limit) => ({
        data: { values: [{ time_limit_s: limit }] }, ...limitLines({ near: [limit] }, y)[0],
      })),
      {
        mark: { type: "line" },
        encoding: { x, y: { ...y, field: "time_s" }, ...colours(width), ...dashes(width) },
      },
      {
        mark: { type: "point", filled: true, opacity: 1, size: 24 },
        encoding: {
          x, y: { ...y, field: "time_s" }, ...colours(width), ...shapes(width),
          tooltip: tooltip(...NAMED, "backend", "instances", "time_s"),
        },
      },
    ],
  };
  const none = lines.filter((line) => !line.times.length);
  const without = none.length ? ` Solved nothing: ${listed(none.map(nameOf))}.` : "";
  return { specification, note: [limitNote(limits, "") + without, commonNote(runs)].filter(Boolean).join(" "), empty: !rows.length };
}
CHARTS["cactus"] = chartCactus;
