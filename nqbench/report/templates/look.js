"use strict";
// What all charts share: colours, shapes, dashes, scales, ticks and legends.
const dark = matchMedia("(prefers-color-scheme: dark)");
const ink = () => (dark.matches ? "#ccc" : "#333");
// Okabe and Ito's palette; black becomes grey where the page is dark.
const palette = () =>
  ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", dark.matches ? "#BBBBBB" : "#000000"];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right"];
const DASHES = [[1, 0], [6, 3], [1.5, 2], [9, 2, 2, 2], [3, 1], [12, 3], [9, 2, 2, 2, 2, 2]];
const WIDTHS = [1.5, 3.2, 5];
const MOST_NAMES = 4;

// Colour and shape say which backend it is, the same in all charts; both together are the same
// again after 49 names.
const cycled = (names, kinds, shift = 0) =>
  names.map((_, i) => kinds[(i + shift * Math.floor(i / kinds.length)) % kinds.length]);
const legend = (width) => ({
  orient: "bottom", direction: "horizontal", labelLimit: 250,
  columns: Math.max(1, Math.min(4, Math.floor(width / 170))),
});
const byBackend = (width) => ({
  color: {
    field: "backend", type: "nominal", legend: legend(width),
    scale: { domain: BACKENDS, range: cycled(BACKENDS, palette()) },
  },
});
const shapes = (width) => ({
  shape: {
    field: "backend", type: "nominal", legend: legend(width),
    scale: { domain: BACKENDS, range: cycled(BACKENDS, SHAPES, 1) },
  },
});
// Dash and width say which encoding it is.
const byEncoding = (width) => {
  const key = { ...legend(width), symbolType: "stroke", symbolSize: 1400, symbolStrokeColor: ink() };
  const widths = ENCODINGS.map((_, i) => WIDTHS[Math.floor(i / DASHES.length) % WIDTHS.length]);
  const looks = (range) => ({
    field: "encoding", type: "ordinal", legend: ENCODINGS.length > 1 ? key : null,
    scale: { type: "ordinal", domain: ENCODINGS, range },
  });
  return { strokeDash: looks(cycled(ENCODINGS, DASHES)), strokeWidth: looks(widths) };
};

// At least a factor of five, so that what is nearly the same looks nearly the same; with room for
// the marks at both ends.
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
  // Not a product with a power below one, which would be a little beside the number.
  const ticks = (steps) => powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  return ticks(high < 500 * low ? [1, 2, 5] : [1]).filter((tick) => low <= tick && tick <= high);
}
// Whole numbers from low to high, at most so many, in steps of 1, 2 or 5 times a power of ten.
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
// A scale of the values, which a logarithm may have to leave out, and its axis.
function scaled(values, type, axis) {
  if (type === "linear") {
    return { axis, scale: { type, domain: [0, greatest([...values, 0]) || 1], nice: true } };
  }
  const domain = logDomain(values);
  return { axis: { ...axis, values: logTicks(domain) }, scale: { type, domain, nice: false } };
}
const times = (values, type) => ({ title: "time", type: "quantitative", ...scaled(values, type, asTime(3)) });

// The measured n, each or every so many; the powers of two where n spans a factor of 16.
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

const TITLES = { par2_s: "PAR-2", low_s: "fastest", high_s: "slowest", time_limit_s: "limit" };
const tooltip = (...names) => names.map((name) => ({
  field: name, title: TITLES[name] || name.replace(/_s$/, ""),
  ...(name.endsWith("_s") ? { type: "quantitative", ...asTime(3) } : {}),
}));
const listed = (names) =>
  names.slice(0, MOST_NAMES).join(", ") +
  (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "");
const WHOLE = { autosize: { type: "fit-x", contains: "padding" } };
