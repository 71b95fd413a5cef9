"use strict";
// Styles that all charts share: colours, shapes, dashes, scales, ticks and legends.
// Each chart adds the function that draws it, by its id.
const CHARTS = {};
const dark = matchMedia("(prefers-color-scheme: dark)");
const ink = () => (dark.matches ? "#ccc" : "#333");
// The colours of the plots. On a dark page the darkest colours become light.
const LIGHT = { "#661144": "#C85A93", "#000000": "#BBBBBB", "#332288": "#9A8CE0" };
const palette = () => [
  "#0072B2", "#E69F00", "#661144", "#009E73", "#56B4E9", "#D55E00", "#000000", "#CC79A7", "#999933", "#332288",
].map((colour) => (dark.matches && LIGHT[colour]) || colour);
const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left"];
const DASHES = [[1, 0], [6, 3], [1.5, 2], [9, 2, 2, 2], [3, 1], [12, 3], [9, 2, 2, 2, 2, 2]];
const WIDTHS = [1.5, 3.2, 5];
const MOST_NAMES = 4;

// Colour and shape show the encoding, the dash shows the backend, as in the plots. With only one
// encoding, colour and shape show the backend. Combinations of colour and shape repeat after 70
// names.
const [COLOURED, DASHED] =
  ENCODINGS.length > 1
    ? [{ field: "encoding", names: ENCODINGS }, { field: "backend", names: BACKENDS }]
    : [{ field: "backend", names: BACKENDS }, { field: "encoding", names: ENCODINGS }];
const cycled = (names, kinds, shift = 0) =>
  names.map((_, i) => kinds[(i + shift * Math.floor(i / kinds.length)) % kinds.length]);
const legend = (width) => ({
  orient: "bottom", direction: "horizontal", labelLimit: 250,
  columns: Math.max(1, Math.min(4, Math.floor(width / 170))),
});
const colours = (width) => ({
  color: {
    field: COLOURED.field, type: "nominal", legend: legend(width),
    scale: { domain: COLOURED.names, range: cycled(COLOURED.names, palette()) },
  },
});
const shapes = (width) => ({
  shape: {
    field: COLOURED.field, type: "nominal", legend: legend(width),
    scale: { domain: COLOURED.names, range: cycled(COLOURED.names, SHAPES, 1) },
  },
});
// After seven names the dashes repeat, wider.
const dashes = (width) => {
  const key = { ...legend(width), symbolType: "stroke", symbolSize: 1400, symbolStrokeColor: ink() };
  const { field, names } = DASHED;
  const widths = names.map((_, i) => WIDTHS[Math.floor(i / DASHES.length) % WIDTHS.length]);
  const looks = (range) => ({
    field, type: "ordinal", legend: names.length > 1 ? key : null,
    scale: { type: "ordinal", domain: names, range },
  });
  return { strokeDash: looks(cycled(names, DASHES)), strokeWidth: looks(widths) };
};

// At least a factor of five, so that nearly equal values look nearly equal, with room for the
// marks at both ends.
function logDomain(values) {
  if (!values.length) return [1, 10];
  const [low, high] = [least(values), greatest(values)];
  const factor = Math.sqrt(Math.max(1, (5 * low) / high));
  const room = (high / low) ** 0.03;
  return [low / factor / room, high * factor * room];
}
function logTicks([low, high]) {
  const [first, last] = [low, high].map((value) => Math.floor(Math.log10(value)));
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  // Do not multiply by a power below one: the product would be slightly off.
  const ticks = (steps) => powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  return ticks(high < 500 * low ? [1, 2, 5] : [1]).filter((tick) => low <= tick && tick <= high);
}
// At most `most` whole numbers from low to high, in steps of 1, 2 or 5 times a power of ten.
function wholeTicks(low, high, most) {
  const steps = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map((step) => step * 10 ** i)).flat();
  const step = steps.find((step) => (high - low) / step < most);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, i) => first + i * step);
}
const whole = (low, high, width) => ({
  axis: { values: wholeTicks(low, high, Math.max(2, width / 40)), format: "d", labelOverlap: true },
});

const asTime = (figures) => ({ formatType: "duration", format: figures });
// A scale of the values and its axis. A logarithmic scale leaves out values without a logarithm.
function scaled(values, type, axis) {
  if (type === "linear") {
    return { axis, scale: { type, domain: [0, greatest([...values, 0]) || 1], nice: true } };
  }
  const domain = logDomain(values);
  return { axis: { ...axis, values: logTicks(domain) }, scale: { type, domain, nice: false } };
}
const TIME_TITLES = { solve_s: "solve time", total_s: "total time" };
const times = (values, type, time) => ({ title: TIME_TITLES[time], type: "quantitative", ...scaled(values, type, asTime(3)) });

// All measured n or every k-th; the powers of two if n spans a factor of 16.
function sizesOf(rows, width) {
  const n = different(rows.map((row) => row.n));
  const [low, high] = [n[0] ?? 1, n.at(-1) ?? 1];
  const wide = high >= 16 * low;
  const room = Math.max(2, width / 36);
  const every = Math.ceil(n.length / room);
  const powers = Array.from({ length: 40 }, (_, i) => 2 ** i).filter((n) => low <= n && n <= high);
  const values = wide && every > 1 ? powers : n.filter((_, i) => i % every === 0);
  const domain = low === high ? [low - 1, high + 1] : [low, high];
  return {
    field: "n", type: "quantitative", axis: { values, format: "d", labelOverlap: true },
    scale: { ...(wide ? { type: "log", base: 2 } : { type: "linear" }), domain, nice: false, padding: 6 },
  };
}

// The encoding of a formula from a file has no name.
const FILE = "file";
const NAMED = ENCODINGS.length === 1 && ENCODINGS[0] === FILE ? [] : ["encoding"];
const nameOf = ({ encoding, backend }) => (encoding === FILE ? backend : `${encoding} x ${backend}`);
const TITLES = { par2_s: "PAR-2", low_s: "fastest", high_s: "slowest", time_limit_s: "limit" };
const tooltip = (...names) => names.map((name) => ({
  field: name, title: TITLES[name] || name.replace(/_s$/, ""),
  ...(name.endsWith("_s") ? { type: "quantitative", ...asTime(3) } : {}),
}));
const listed = (names) =>
  names.slice(0, MOST_NAMES).join(", ") +
  (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "");
const WHOLE = { autosize: { type: "fit-x", contains: "padding" } };
