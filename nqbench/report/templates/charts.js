"use strict";
// The charts: Vega-Lite specifications, drawn again whenever a control changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
// Okabe and Ito's palette; black becomes grey where the page is dark.
const palette = () =>
  ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", dark.matches ? "#BBBBBB" : "#000000"];
const DASHES = [[1, 0], [6, 3], [1.5, 2], [9, 2, 2, 2], [3, 1], [12, 3], [9, 2, 2, 2, 2, 2]];

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
const different = (rows, name) =>
  [...new Set(rows.map((row) => row[name]))].sort((a, b) => (a < b ? -1 : 1));
const ENCODINGS = different(TABLES.par2, "encoding");
const BACKENDS = different(TABLES.par2, "backend");
const MOST_SIZES = 12;

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

// A time to so many digits, in the unit in which it reads well.
function duration(value, digits) {
  const units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6]];
  const [unit, size] = units.find(([, size]) => value >= size) || units.at(value ? -1 : 0);
  const scaled = value / size;
  return `${scaled >= 100 ? Math.round(scaled) : Number(scaled.toPrecision(digits))} ${unit}`;
}
const asTime = (digits) => ({ formatType: "duration", format: digits });

const legend = () => ({
  orient: "bottom", columns: Math.max(1, Math.min(4, Math.floor(document.body.clientWidth / 200))),
  labelLimit: 300,
});
const colour = (domain) => ({
  field: "backend", type: "nominal", scale: { domain, range: palette() }, legend: legend(),
});
// At least a factor of five, so that what is nearly the same looks nearly the same.
function logDomain(values) {
  if (!values.length) return [1, 10];
  const [least, most] = [Math.min, Math.max].map((outer) => values.reduce((a, b) => outer(a, b)));
  const factor = Math.sqrt(Math.max(1, (5 * least) / most));
  return [least / factor, most * factor];
}
function logTicks([low, high]) {
  const [first, last] = [low, high].map((value) => Math.floor(Math.log10(value)));
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  // Not a product with a power below one, which would be a little beside the number.
  const ticks = (steps) => powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  return ticks(high < 500 * low ? [1, 2, 5] : [1]).filter((tick) => low <= tick && tick <= high);
}
function measured(rows, fields, type, axis) {
  const field = { field: fields[0], type: "quantitative" };
  if (type === "linear") return { ...field, axis, scale: { type, zero: true } };
  const domain = logDomain(rows.flatMap((row) => fields.map((name) => row[name])));
  return { ...field, axis: { ...axis, values: logTicks(domain) }, scale: { type, domain, nice: false } };
}
const times = (rows, fields, type) => ({ title: "time", ...measured(rows, fields, type, asTime(3)) });
const sizesOf = (rows) => {
  const n = different(rows, "n");
  const ticks = n.length <= MOST_SIZES ? { values: n } : { tickMinStep: 1 };
  return {
    field: "n", type: "quantitative", scale: { zero: false },
    axis: { ...ticks, format: "d", labelOverlap: true },
  };
};
const TITLES = { par2_s: "PAR-2", low_s: "fastest", high_s: "slowest" };
const tooltip = (...names) => names.map((name) => ({
  field: name, title: TITLES[name] || name.replace(/_s$/, ""),
  ...(name.endsWith("_s") ? { type: "quantitative", ...asTime(3) } : {}),
}));

function overN(rows, type) {
  const y = times(rows, ["median_s", "low_s", "high_s"], type);
  return {
    data: { values: rows },
    facet: { field: "encoding", type: "nominal", title: null, columns: 3 },
    columns: Math.max(1, Math.min(3, Math.floor(document.body.clientWidth / 300))),
    spec: {
      width: 220, height: 200,
      encoding: {
        x: sizesOf(rows),
        color: colour(BACKENDS),
      },
      layer: [
        {
          mark: { type: "area", fillOpacity: 0.2 },
          encoding: { y: { ...y, field: "low_s" }, y2: { field: "high_s" } },
        },
        {
          mark: { type: "line", point: { size: 22 }, strokeWidth: 1.5 },
          encoding: {
            y,
            shape: { field: "backend", type: "nominal", legend: null },
            tooltip: tooltip(
              "encoding", "backend", "n", "median_s", "low_s", "high_s", "runs", "unsolved",
            ),
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
      y: times(rows, ["median_s"], type),
      color: colour(BACKENDS),
      shape: { field: "backend", type: "nominal", scale: { domain: BACKENDS } },
      tooltip: tooltip(
        "instance", "backend", "median_s", "low_s", "high_s", "runs", "unsolved", "variables", "clauses",
      ),
    },
  };
}
function cactus(rows, type) {
  return {
    data: { values: rows }, width: "container", height: 320,
    encoding: {
      x: { field: "instances", type: "quantitative", title: "instances solved", axis: { tickMinStep: 1, format: "d" } },
      y: { ...times(rows, ["time_s"], type), title: "within a time of" },
      color: colour(BACKENDS),
    },
    layer: [
      {
        // Without points: Vega-Lite makes the strokes of their legend transparent.
        mark: { type: "line", strokeWidth: 1.5 },
        encoding: {
          strokeDash: {
            field: "encoding", type: "nominal", scale: { domain: ENCODINGS, range: DASHES },
            legend: {
              ...legend(), symbolType: "stroke", symbolSize: 600, symbolStrokeWidth: 1.5,
              symbolStrokeColor: dark.matches ? "#ccc" : "#333",
            },
          },
        },
      },
      {
        mark: { type: "point", filled: true, opacity: 1, size: 18 },
        encoding: { tooltip: tooltip("encoding", "backend", "instances", "time_s") },
      },
    ],
  };
}
function heatmap(rows) {
  const domain = logDomain(rows.map((row) => row.par2_s));
  const middle = Math.sqrt(domain[0] * domain[1]);
  return {
    data: { values: rows }, width: { step: 90 }, height: { step: 28 },
    encoding: {
      x: { field: "backend", type: "nominal", title: null, axis: { labelAngle: -35, labelLimit: 300 } },
      y: { field: "encoding", type: "nominal", title: null, axis: { labelLimit: 300 } },
      tooltip: tooltip("encoding", "backend", "par2_s", "median_s", "solved", "runs"),
    },
    layer: [
      {
        mark: "rect",
        encoding: {
          color: {
            field: "par2_s", type: "quantitative", title: "PAR-2",
            scale: { type: "log", scheme: "cividis", reverse: true, domain },
            legend: { ...asTime(2), values: logTicks(domain), gradientLength: 120 },
          },
        },
      },
      {
        mark: "text",
        encoding: {
          text: { field: "par2_s", type: "quantitative", ...asTime(2) },
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
      x: sizesOf(rows),
      y: measured(rows, ["clauses"], type, { format: "~s" }),
      color: {
        field: "encoding", type: "nominal", scale: { range: palette() },
        legend: legend(),
      },
      tooltip: tooltip("encoding", "n", "clauses", "variables", "literals"),
    },
  };
}

const options = () => ({
  mode: "vega-lite",
  actions: { export: true, source: false, compiled: false, editor: false },
  theme: dark.matches ? "dark" : undefined,
  config: {
    background: "transparent", axis: { gridColor: dark.matches ? "#333" : "#e4e4e4" },
    customFormatTypes: true,
  },
  expressionFunctions: { duration },
});

async function draw() {
  const encodings = chosen("encodings");
  const backends = chosen("backends");
  const [least, most] = N_CONTROLS.map((control) => Number(control.value));
  const type = element("scale").value;
  const wanted = (row) =>
    encodings.has(row.encoding) && (row.backend === undefined || backends.has(row.backend)) &&
    (row.n === undefined || (row.n >= least && row.n <= most));
  // A logarithm of nothing is nothing: such rows would spoil the scale.
  const positive = (field) => (row) => type === "linear" || row[field] > 0;
  const specifications = {
    "over-n": overN(TABLES.overN[element("metric").value].filter(wanted).filter(positive("low_s")), type),
    "over-instances": overInstances(
      TABLES.overInstances[element("metric").value].filter(wanted).filter(positive("median_s")), type,
    ),
    cactus: cactus(TABLES.cactus.filter(wanted).filter(positive("time_s")), type),
    heatmap: heatmap(TABLES.par2.filter(wanted).filter((row) => row.par2_s > 0)),
    sizes: sizes(TABLES.sizes.filter(wanted).filter(positive("clauses")), type),
  };
  for (const [id, specification] of Object.entries(specifications)) {
    // Formulas have nothing over n, and boards nothing over their names.
    if (!element(id)) continue;
    await vegaEmbed(element(id), specification, options());
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
