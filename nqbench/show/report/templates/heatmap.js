"use strict";
// Draws every encoding with every backend.
const SHORTEST_CELL = 44;
function chartHeatmap({ rows: runs, time, scale }, width) {
  const share = (row) => Math.floor((100 * row.solved) / row.runs);
  const rows = overview(runs, time)
    .filter((row) => row.par2_s !== null && (scale === "linear" || row.par2_s > 0))
    .map((row) => ({ ...row, share: row.solved < row.runs ? `${share(row)} % solved` : "" }));
  const present = (name) => [...new Set(rows.map((row) => row[name]))];
  const named = (name, longest) => ({ labelLimit: longest, ...(name === "encoding" && present(name)[0] === FILE ? { labels: false, ticks: false } : {}) });
  // The longer list of names goes down the page, which fits a phone held upright.
  const [across, down] = ["backend", "encoding"].sort((a, b) =>
    width < 600 ? present(a).length - present(b).length : 0);
  const longest = width < 600 ? 110 : 170;
  const labels = Math.min(longest, 6.5 * greatest(present(down).map((name) => name.length)));
  const cell = Math.max(SHORTEST_CELL, Math.min(90, Math.floor((width - labels - 40) / present(across).length)));
  const small = cell < 70;
  const { axis, scale: shades } = scaled(rows.map((row) => row.par2_s), scale, asTime(2));
  const [low, high] = shades.domain;
  const middle = scale === "linear" ? (low + high) / 2 : Math.sqrt(low * high);
  const white = { condition: { test: `datum.par2_s > ${middle}`, value: "white" }, value: "black" };
  const words = (text, dy, filter) => ({
    transform: [{ filter }],
    mark: { type: "text", dy, fontSize: small ? 9 : 11 },
    encoding: { text, color: white },
  });
  const value = { field: "par2_s", type: "quantitative", ...asTime(2) };
  const some = rows.some((row) => row.share);
  // Without names on the left, the first label of the key needs room there.
  const specification = {
    ...(named(down).labels === false ? { padding: { left: 24, top: 5, right: 5, bottom: 5 } } : {}),
    data: { values: rows }, width: { step: cell }, height: { step: some ? 36 : 28 },
    encoding: {
      x: { field: across, type: "nominal", title: null, sort: present(across), axis: { labelAngle: -35, ...named(across, longest) } },
      y: { field: down, type: "nominal", title: null, sort: present(down), axis: named(down, longest) },
      tooltip: tooltip(...NAMED, "backend", "par2_s", "median_s", "solved", "runs"),
    },
    layer: [
      {
        mark: "rect",
        encoding: {
          color: {
            field: "par2_s", type: "quantitative", title: "PAR-2",
            scale: { ...shades, scheme: "cividis", reverse: true },
            legend: { ...axis, orient: "bottom", direction: "horizontal", gradientLength: Math.max(60, Math.min(300, width - labels - 60)) },
          },
        },
      },
      // A cell with a share has two lines of text, around its middle.
      words(value, 0, "!datum.share"),
      ...(some ? [words(value, -6, "datum.share"), words({ field: "share", type: "nominal" }, 8, "datum.share")] : []),
    ],
  };
  return { specification, note: commonNote(runs), empty: !rows.length };
}
CHARTS["heatmap"] = chartHeatmap;
