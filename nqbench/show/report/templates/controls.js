"use strict";
// The controls: they announce the reader's choice to the parts of the page that depend on it.
const different = (values) => [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
const ENCODINGS = different(codesOf("encoding").values);
const BACKENDS = different(codesOf("backend").values);

function offer(id, names) {
  for (const name of names) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", checked: true, value: name });
    label.append(box, ` ${name}`);
    element(id).append(label);
  }
}
const chosen = (id, all) => (element(id)
  ? new Set([...element(id).querySelectorAll("input:checked")].map((box) => box.value)) : new Set(all));
// An empty field sets no bound.
const FAMILIES = DATA.blocks.map((block) => block.family);
const bound = (id, otherwise) => Number(element(id)?.value || otherwise);

function choice() {
  const [encodings, backends] = [chosen("encodings", ENCODINGS), chosen("backends", BACKENDS)];
  const [least, most] = [bound("least", 0), bound("most", Infinity)];
  const family = element("family")?.value || "";
  const rows = ALL_RUNS.filter((row) => {
    const n = RUN.n(row);
    return (!family || RUN.family(row) === family) && encodings.has(RUN.encoding(row)) && backends.has(RUN.backend(row)) &&
      (n === null || (n >= least && n <= most));
  });
  return { rows, family, time: element("time").value, scale: element("scale").value };
}

if (element("encodings")) offer("encodings", ENCODINGS);
offer("backends", BACKENDS);
for (const [id, outer] of [["least", Math.min], ["most", Math.max]]) {
  const sizes = codesOf("n").values.filter((n) => n !== null);
  if (element(id)) element(id).value = sizes.reduce((a, b) => outer(a, b));
}
const announce = () => document.dispatchEvent(new CustomEvent("choice", { detail: choice() }));
element("controls").addEventListener("change", announce);
// Problems of different families are never in one chart or mean: each family has its own block.
const ofBlock = (choice, block) => ({
  ...choice, rows: FAMILIES.length > 1 ? choice.rows.filter((row) => RUN.family(row) === block.family) : choice.rows,
});
document.addEventListener("choice", ({ detail }) => {
  for (const block of FAMILIES.length > 1 ? DATA.blocks : []) {
    element(`block${block.suffix}`).hidden = detail.family !== "" && detail.family !== block.family;
  }
});
element("controls").addEventListener("submit", (event) => event.preventDefault());
