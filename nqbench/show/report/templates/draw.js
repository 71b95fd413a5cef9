"use strict";
// Draws the charts, and draws them again when a control, the width or the colours change.
const VIEWS = {};

const options = () => ({
  mode: "vega-lite",
  actions: { export: true, source: false, compiled: false, editor: false },
  theme: dark.matches ? "dark" : undefined,
  config: {
    background: "transparent", axis: { gridColor: dark.matches ? "#333" : "#e4e4e4" },
    customFormatTypes: true, legend: { layout: { bottom: { direction: "vertical", anchor: "start" } } },
  },
  expressionFunctions: { duration },
});

async function draw(choice) {
  for (const block of DATA.blocks) {
    for (const [name, chart] of Object.entries(CHARTS)) {
      const id = name + block.suffix;
      const place = element(id);
      // Formulas have no charts over n, and boards have no charts over their names.
      if (!place || !place.clientWidth) continue;
      const { specification, note, empty } = chart(ofBlock(choice, block), place.clientWidth);
      element(`${id}-note`).textContent = empty ? "None of the chosen runs can be drawn here." : note;
      VIEWS[id] = (await vegaEmbed(place, specification, options())).view;
    }
  }
  document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
}

// Draw one after the other. Otherwise an older drawing could finish last.
let drawing = Promise.resolve();
const drawAgain = (choice) => { drawing = drawing.then(() => draw(choice)); };
document.addEventListener("choice", (event) => drawAgain(event.detail));
dark.addEventListener("change", () => drawAgain(choice()));
let width = document.body.clientWidth;
addEventListener("resize", () => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  drawAgain(choice());
});
drawAgain(choice());
