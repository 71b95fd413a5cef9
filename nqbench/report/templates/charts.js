"use strict";
// The charts: for each a function from the chosen runs to a Vega-Lite specification and a note.
const WHOLE = { autosize: { type: "fit-x", contains: "padding" } };
// Where some runs were not solved, and at which limit.
const crosses = (encoding) => ({
  transform: [{ filter: "datum.unsolved > 0" }],
  mark: { type: "point", shape: CROSS, size: 40, strokeWidth: 1.8, filled: false, opacity: 1 },
  encoding,
});
// A line at each limit that is near, in every panel.
const limitLines = ({ near }, y) => (near.length ? [{
  transform: [
    { aggregate: [], groupby: ["time_limit_s", "encoding"] },
    { filter: { field: "time_limit_s", oneOf: near } },
  ],
  mark: { type: "rule", strokeDash: [4, 3], strokeWidth: 1, color: ink() },
  encoding: { y: { ...y, field: "time_limit_s" } },
}] : []);

function chartOverN({ rows: runs, time, scale }, width) {
  const rows = overN(runs, time).filter((row) => scale === "linear" || row.low_s > 0);
  const limits = limitsNear(rows, (row) => row.high_s);
  const columns = Math.max(1, Math.min(3, Math.floor(width / 300)));
  const panel = Math.floor((width - 70) / columns) - 24;
  const y = times([...rows.flatMap((row) => [row.low_s, row.high_s]), ...limits.near], scale);
  const names = ["encoding", "backend", "n", "median_s", "low_s", "high_s", "runs", "unsolved", "time_limit_s"];
  const x = sizesOf(rows, panel);
  const specification = {
    data: { values: rows },
    facet: { field: "encoding", type: "nominal", title: null },
    columns,
    spec: {
      width: panel, height: 200,
      layer: [
        ...limitLines(limits, y),
        {
          mark: { type: "area", fillOpacity: 0.2 },
          encoding: { x, ...byBackend(width), y: { ...y, field: "low_s" }, y2: { field: "high_s" } },
        },
        {
          mark: { type: "line", strokeWidth: 1.5 },
          encoding: { x, ...byBackend(width), y: { ...y, field: "median_s" } },
        },
        {
          mark: { type: "point", size: 30, filled: true, opacity: 1 },
          encoding: { x, ...byBackend(width), ...shapes(width), y: { ...y, field: "median_s" }, tooltip: tooltip(...names) },
        },
        crosses({ x, ...byBackend(width), y: { ...y, field: "time_limit_s" }, tooltip: tooltip(...names) }),
      ],
    },
  };
  return { specification, note: limitNote(limits, crossesNote(rows)), empty: !rows.length };
}
const crossesNote = (rows) =>
  rows.some((row) => row.unsolved) ? "; a cross on it: some or all runs were not solved" : "";

function chartOverInstances({ rows: runs, time, scale }, width) {
  const rows = overInstances(runs, time).filter((row) => scale === "linear" || row.median_s > 0);
  const limits = limitsNear(rows, (row) => row.median_s);
  const y = times([...rows.map((row) => row.median_s), ...limits.near], scale);
  const last = greatest(rows.map((row) => row.place));
  const x = {
    field: "place", type: "quantitative", title: "formula, in the order of the fastest time",
    ...whole(1, Math.max(1, last), width), scale: { domain: [0.5, Math.max(1, last) + 0.5], nice: false },
  };
  const names = ["instance", "encoding", "backend", "median_s", "low_s", "high_s", "runs", "unsolved", "clauses"];
  const specification = {
    data: { values: rows }, width, height: 320, ...WHOLE,
    layer: [
      ...limitLines(limits, y),
      {
        mark: { type: "point", size: 44, filled: true, opacity: 0.9 },
        encoding: { x, ...byBackend(width), ...shapes(width), y: { ...y, field: "median_s" }, tooltip: tooltip(...names) },
      },
      crosses({ x, ...byBackend(width), y: { ...y, field: "time_limit_s" }, tooltip: tooltip(...names) }),
    ],
  };
  return { specification, note: limitNote(limits, crossesNote(rows)), empty: !rows.length };
}

const CACTUS_POINTS = 400;
// Of a long line every so many points, and its last one.
function thinned(values) {
  const every = Math.ceil(values.length / CACTUS_POINTS);
  return values.filter((_, i) => (i + 1) % every === 0 || i === values.length - 1);
}
function chartCactus({ rows: runs, time, scale }, width) {
  const lines = cactus(runs, time);
  const rows = lines.flatMap(({ encoding, backend, times }) => thinned(
    times.map((time_s, i) => ({ encoding, backend, time_s, instances: i + 1 })),
  )).filter((row) => scale === "linear" || row.time_s > 0);
  const solved = lines.filter((line) => line.times.length);
  const limits = limitsNear(solved, (line) => line.times.at(-1));
  const y = { ...times([...rows.map((row) => row.time_s), ...limits.near], scale), title: "within a time of" };
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
        encoding: { x, y: { ...y, field: "time_s" }, ...byBackend(width), ...byEncoding(width) },
      },
      {
        mark: { type: "point", filled: true, opacity: 1, size: 24 },
        encoding: {
          x, y: { ...y, field: "time_s" }, ...byBackend(width), ...shapes(width),
          tooltip: tooltip("encoding", "backend", "instances", "time_s"),
        },
      },
    ],
  };
  const none = lines.filter((line) => !line.times.length);
  const without = none.length ? ` Solved nothing: ${listed(none.map((line) => `${line.encoding} x ${line.backend}`))}.` : "";
  return { specification, note: limitNote(limits, "") + without, empty: !rows.length };
}

const SHORTEST_CELL = 44;
function chartHeatmap({ rows: runs, time, scale }, width) {
  const share = (row) => Math.floor((100 * row.solved) / row.runs);
  const rows = overview(runs, time)
    .filter((row) => row.par2_s !== null && (scale === "linear" || row.par2_s > 0))
    .map((row) => ({ ...row, share: row.solved < row.runs ? `${share(row)} % solved` : "" }));
  const present = (name) => [...new Set(rows.map((row) => row[name]))];
  // The longer list of names downwards: that is how a telephone is held.
  const [across, down] = ["backend", "encoding"].sort((a, b) =>
    width < 600 ? present(a).length - present(b).length : 0);
  const labels = 7 * Math.min(24, greatest(present(down).map((name) => name.length)));
  const cell = Math.max(SHORTEST_CELL, Math.min(90, Math.floor((width - labels - 40) / present(across).length)));
  const small = cell < 70;
  const { axis, scale: shades } = scaled(rows.map((row) => row.par2_s), scale, asTime(2));
  const [low, high] = shades.domain;
  const middle = scale === "linear" ? (low + high) / 2 : Math.sqrt(low * high);
  const white = { condition: { test: `datum.par2_s > ${middle}`, value: "white" }, value: "black" };
  const words = (text, dy) => ({
    mark: { type: "text", dy, fontSize: small ? 9 : 11 },
    encoding: { text, color: white },
  });
  const some = rows.some((row) => row.share);
  const specification = {
    data: { values: rows }, width: { step: cell }, height: { step: some ? 36 : 28 },
    encoding: {
      x: { field: across, type: "nominal", title: null, sort: present(across), axis: { labelAngle: -35, labelLimit: 180 } },
      y: { field: down, type: "nominal", title: null, sort: present(down), axis: { labelLimit: 170 } },
      tooltip: tooltip("encoding", "backend", "par2_s", "median_s", "solved", "runs"),
    },
    layer: [
      {
        mark: "rect",
        encoding: {
          color: {
            field: "par2_s", type: "quantitative", title: "PAR-2",
            scale: { ...shades, scheme: "cividis", reverse: true },
            legend: { ...axis, orient: "bottom", direction: "horizontal", gradientLength: Math.min(300, width - 60) },
          },
        },
      },
      words({ field: "par2_s", type: "quantitative", ...asTime(2) }, some ? -6 : 0),
      ...(some ? [words({ field: "share", type: "nominal" }, 8)] : []),
    ],
  };
  return { specification, note: "", empty: !rows.length };
}

function chartSizes({ rows: runs, scale }, width) {
  const rows = sizes(runs).filter((row) => scale === "linear" || row.clauses > 0);
  const specification = {
    data: { values: rows }, width, height: 280, ...WHOLE,
    encoding: {
      x: sizesOf(rows, width),
      y: { field: "clauses", type: "quantitative", ...scaled(rows.map((row) => row.clauses), scale, { format: "~s" }) },
    },
    layer: [
      { mark: { type: "line", color: ink() }, encoding: byEncoding(width) },
      {
        mark: { type: "point", size: 16, filled: true, opacity: 1, color: ink() },
        encoding: { detail: { field: "encoding" }, tooltip: tooltip("encoding", "n", "clauses", "variables", "literals") },
      },
    ],
  };
  return { specification, note: "", empty: !rows.length };
}
