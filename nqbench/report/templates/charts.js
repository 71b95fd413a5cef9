"use strict";
// The charts: Vega-Lite specifications, drawn again whenever a control changes.
const DATA = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
// Okabe and Ito's palette; black becomes grey where the page is dark.
const palette = () =>
  ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", dark.matches ? "#BBBBBB" : "#000000"];
const element = (id) => document.getElementById(id);

function rowsOf(columns) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
}
const TABLES = {
  overN: { solve_s: rowsOf(DATA.overN.solve_s), total_s: rowsOf(DATA.overN.total_s) },
  overInstances: {
    solve_s: rowsOf(DATA.overInstances.solve_s), total_s: rowsOf(DATA.overInstances.total_s),
  },
  cactus: rowsOf(DATA.cactus),
  sizes: rowsOf(DATA.sizes),
  par2: rowsOf(DATA.par2),
};
const different = (rows, name) => [...new Set(rows.map((row) => row[name]))].sort();
const ENCODINGS = different(TABLES.par2, "encoding");
const BACKENDS = different(TABLES.par2, "backend");

function choices(id, names) {
  for (const name of names) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.value = name;
    label.append(box, ` ${name}`);
    element(id).append(label);
  }
}
const chosen = (id) =>
  new Set([...element(id).querySelectorAll("input:checked")].map((box) => box.value));

const colour = (domain) => ({
  field: "backend", type: "nominal", scale: { domain, range: palette() },
  legend: { orient: "bottom", columns: 4, labelLimit: 300 },
});
const scale = (type) => (type === "linear" ? { type, zero: true } : { type, nice: false });
const seconds = (title, field, type) => ({
  field, type: "quantitative", title, axis: { format: "~s" }, scale: scale(type),
});

function overN(rows, type) {
  return {
    data: { values: rows },
    facet: { field: "encoding", type: "nominal", title: null, columns: 3 },
    columns: Math.max(1, Math.min(3, Math.floor(document.body.clientWidth / 300))),
    spec: {
      width: 220, height: 200,
      encoding: {
        x: { field: "n", type: "quantitative", scale: { zero: false } },
        color: colour(BACKENDS),
      },
      layer: [
        {
          mark: { type: "area", fillOpacity: 0.2 },
          encoding: { y: seconds("time (s)", "low_s", type), y2: { field: "high_s" } },
        },
        {
          mark: { type: "line", point: { size: 22 }, strokeWidth: 1.5 },
          encoding: {
            y: seconds("time (s)", "median_s", type),
            shape: { field: "backend", type: "nominal", legend: null },
            tooltip: ["encoding", "backend", "n", "median_s", "low_s", "high_s", "runs", "unsolved"]
              .map((field) => ({ field })),
          },
        },
      ],
    },
  };
}
function overInstances(rows, type) {
  return {
    data: { values: rows }, width: "container", height: 320,
    mark: { type: "point", size: 36, filled: true },
    encoding: {
      x: {
        field: "place", type: "quantitative", title: "formula, in the order of the fastest time",
        axis: { tickMinStep: 1, format: "d" },
      },
      y: seconds("time (s)", "median_s", type),
      color: colour(BACKENDS),
      shape: { field: "backend", type: "nominal", scale: { domain: BACKENDS } },
      tooltip: ["instance", "backend", "median_s", "low_s", "high_s", "runs", "unsolved", "variables", "clauses"]
        .map((field) => ({ field })),
    },
  };
}
function cactus(rows, type) {
  return {
    data: { values: rows }, width: "container", height: 320,
    mark: { type: "line", point: { size: 18 }, strokeWidth: 1.5 },
    encoding: {
      x: { field: "instances", type: "quantitative", title: "instances solved", axis: { tickMinStep: 1, format: "d" } },
      y: seconds("within a time of (s)", "time_s", type),
      color: colour(BACKENDS),
      strokeDash: {
        field: "encoding", type: "nominal",
        legend: {
          orient: "bottom", columns: 4, labelLimit: 300, symbolType: "stroke", symbolSize: 300,
          symbolStrokeColor: dark.matches ? "#bbb" : "#333", symbolStrokeWidth: 1.5,
        },
      },
      tooltip: ["encoding", "backend", "instances", "time_s"].map((field) => ({ field })),
    },
  };
}
function heatmap(rows) {
  const costs = rows.map((row) => row.par2_s);
  const middle = Math.sqrt(Math.min(...costs) * Math.max(...costs));
  return {
    data: { values: rows }, width: { step: 90 }, height: { step: 28 },
    encoding: {
      x: { field: "backend", type: "nominal", title: null, axis: { labelAngle: -35, labelLimit: 300 } },
      y: { field: "encoding", type: "nominal", title: null, axis: { labelLimit: 300 } },
      tooltip: ["encoding", "backend", "par2_s", "median_s", "solved", "runs"].map((field) => ({ field })),
    },
    layer: [
      {
        mark: "rect",
        encoding: {
          color: {
            field: "par2_s", type: "quantitative", title: "PAR-2 (s)",
            scale: { type: "log", scheme: "cividis", reverse: true }, legend: { format: "~s" },
          },
        },
      },
      {
        mark: "text",
        encoding: {
          text: { field: "par2_s", type: "quantitative", format: ".2~s" },
          color: { condition: { test: `datum.par2_s > ${middle}`, value: "white" }, value: "black" },
        },
      },
    ],
  };
}
function sizes(rows, type) {
  return {
    data: { values: rows }, width: "container", height: 260,
    mark: { type: "line", point: { size: 18 } },
    encoding: {
      x: { field: "n", type: "quantitative", scale: { zero: false } },
      y: {
        field: "clauses", type: "quantitative", axis: { format: "~s" }, scale: scale(type),
      },
      color: {
        field: "encoding", type: "nominal", scale: { range: palette() },
        legend: { orient: "bottom", columns: 4, labelLimit: 300 },
      },
      tooltip: ["encoding", "n", "clauses", "variables", "literals"].map((field) => ({ field })),
    },
  };
}

async function draw() {
  const encodings = chosen("encodings");
  const backends = chosen("backends");
  const [least, most] = N_CONTROLS.map((control) => Number(control.value));
  const type = element("scale").value;
  const wanted = (row) =>
    encodings.has(row.encoding) && (row.backend === undefined || backends.has(row.backend)) &&
    (row.n === undefined || (row.n >= least && row.n <= most));
  const options = {
    mode: "vega-lite",
    actions: { export: true, source: false, compiled: false, editor: false },
    theme: dark.matches ? "dark" : undefined,
    config: { background: "transparent", axis: { gridColor: dark.matches ? "#333" : "#e4e4e4" } },
  };
  // A logarithm of nothing is nothing: such rows would spoil the scale.
  const positive = (field) => (row) => type === "linear" || row[field] > 0;
  const specifications = {
    "over-n": overN(TABLES.overN[element("metric").value].filter(wanted).filter(positive("low_s")), type),
    "over-instances": overInstances(
      TABLES.overInstances[element("metric").value].filter(wanted).filter(positive("median_s")), type,
    ),
    cactus: cactus(TABLES.cactus.filter(wanted).filter(positive("time_s")), type),
    heatmap: heatmap(TABLES.par2.filter(wanted).filter((row) => row.par2_s > 0)),
    sizes: sizes(TABLES.sizes.filter(wanted), type),
  };
  for (const [id, specification] of Object.entries(specifications)) {
    // Formulas have nothing over n, and boards nothing over their names.
    if (!element(id)) continue;
    await vegaEmbed(element(id), specification, options);
  }
  document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
}

choices("encodings", ENCODINGS);
choices("backends", BACKENDS);
const N_CONTROLS = ["least", "most"].map(element).filter(Boolean);
const allN = TABLES.overN.solve_s.map((row) => row.n);
N_CONTROLS.forEach((control, i) => {
  const outer = i === 0 ? Math.min : Math.max;
  control.value = allN.reduce((a, b) => outer(a, b));
});
element("controls").addEventListener("change", draw);
element("controls").addEventListener("submit", (event) => event.preventDefault());
dark.addEventListener("change", draw);
draw();
