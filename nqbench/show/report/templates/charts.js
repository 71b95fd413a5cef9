"use strict";
// Draws the charts, and draws them again when a control, the width or the colours change. Their
// rows and specifications are made by nqbench: this hides rows, and shares out the room.
const VIEWS = {};
const dark = matchMedia("(prefers-color-scheme: dark)");
// Paper is white, whatever the screen is.
let printing = false;
const isDark = () => dark.matches && !printing;

const options = () => ({
  mode: "vega-lite",
  actions: { export: true, source: false, compiled: false, editor: false },
  theme: isDark() ? "dark" : undefined,
  config: {
    background: "transparent", axis: { gridColor: isDark() ? "#333" : "#e4e4e4" },
    customFormatTypes: true, legend: { layout: { bottom: { direction: "vertical", anchor: "start" } } },
  },
  expressionFunctions: { duration },
});

function rowsOf(chart, { time, shows }) {
  const columns = Object.entries(readers({ ...chart.columns, ...chart.by_time[time] }));
  const rows = Array.from({ length: chart.counts[time] }, (_, row) =>
    Object.fromEntries(columns.map(([name, value]) => [name, value(row)])));
  return rows.filter(shows);
}
// The axis of n: from the least to the greatest that is shown, with ticks at all, or every k-th.
const MOST_TICKS = 24;
function axisOf(rows) {
  const n = [...new Set(rows.map((row) => row.n))].sort((a, b) => a - b);
  const domain = n.length > 1 ? [n[0], n.at(-1)] : [n[0] / 2, 2 * n[0]];
  return { $n: n.filter((_, i) => i % Math.ceil(n.length / MOST_TICKS) === 0), $range: domain };
}
function roomOf(chart, rows, width) {
  const within = (value, least, most) => Math.max(least, Math.min(most, Math.floor(value)));
  const count = new Set(rows.map((row) => row[chart.across])).size || 1;
  // Rows of equal length, so that no panel is alone.
  const columns = Math.ceil(count / Math.ceil(count / within(width / 300, 1, 4)));
  const label = within(width / 2.4, 1, 230);
  const cell = within((width - chart.labels - 40) / count, 44, 90);
  const top = rows.reduce((most, row) => Math.max(most, row[chart.height]), 0) || 1;
  return {
    ...axisOf(rows), $top: [0, top],
    $width: width, $height: 18 * Math.max(2, count), $legend: within((width - Math.min(chart.labels, label)) / 170, 1, 4), $label: label,
    $columns: columns, $panel: Math.floor((width - 70) / columns) - 24,
    $cell: cell, $share: cell < 62 ? "replace(datum.share, ' solved', '')" : "datum.share", $font: cell < 70 ? 9 : 11, $gradient: within(width - chart.labels - 60, 60, 300),
  };
}
// Strings that stand for something, and the colours of a light page, are replaced.
const filled = (specification, values) => JSON.parse(JSON.stringify(specification), (_, value) =>
  (typeof value === "string" && Object.hasOwn(values, value) ? values[value] : value));

function specificationOf(chart, choice, width) {
  const rows = rowsOf(chart, choice);
  const fills = { ...chart.fills[choice.time]?.[choice.scale] };
  const room = { ...roomOf(chart, rows, width), ...(isDark() ? DATA.dark : {}) };
  return { ...filled(filled(chart.spec, fills), room), data: { values: rows } };
}

async function draw(choice) {
  for (const [id, chart] of Object.entries(DATA.charts)) {
    const place = element(id);
    if (!place.clientWidth) continue;
    const specification = specificationOf(chart, choice, place.clientWidth);
    const empty = !specification.data.values.length;
    element(`${id}-note`).textContent = empty ? "None of the chosen runs can be drawn here." : chart.notes[choice.time];
    if (empty) place.replaceChildren();
    VIEWS[id] = empty ? null : (await vegaEmbed(place, specification, options())).view;
  }
  document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
}

// Draw one after the other. Otherwise an older drawing could finish last.
let drawing = Promise.resolve();
const drawAgain = (choice) => { drawing = drawing.then(() => draw(choice)); };
document.addEventListener("choice", (event) => drawAgain(event.detail));
dark.addEventListener("change", () => drawAgain(choice()));
// The browser prints when all promises are kept: no drawing waits for anything else.
for (const [event, begins] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    printing = begins;
    if (dark.matches) drawAgain(choice());
  });
}
let width = document.body.clientWidth;
addEventListener("resize", () => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  drawAgain(choice());
});
drawAgain(choice());
