"use strict";
// The controls: they hide rows of tables and charts, and announce the reader's choice to the parts
// of the page that are drawn again.
const different = (values) => [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
// The encoding of a formula from a file has no name, and may have no control.
const ENCODINGS = different(valuesOf("encoding"));
const BACKENDS = different(valuesOf("backend"));

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
const bound = (id, otherwise) => Number(element(id)?.value || otherwise);

function choice() {
  const [encodings, backends] = [chosen("encodings", ENCODINGS), chosen("backends", BACKENDS)];
  const [least, most] = [bound("least", 0), bound("most", Infinity)];
  const family = element("family")?.value || "";
  // Sizes of formulas have no backend, and what is of all n has no n.
  const shows = ({ encoding, backend, n }) => encodings.has(encoding) &&
    (backend === undefined || backends.has(backend)) && (n == null || (n >= least && n <= most));
  const rows = ALL_RUNS.filter((row) => (!family || RUN.family(row) === family) &&
    shows({ encoding: RUN.encoding(row), backend: RUN.backend(row), n: RUN.n(row) }));
  return { rows, shows, family, time: element("time").value, scale: element("scale").value };
}

if (element("encodings")) offer("encodings", ENCODINGS);
offer("backends", BACKENDS);
for (const [id, outer] of [["least", Math.min], ["most", Math.max]]) {
  const sizes = valuesOf("n").filter((n) => n !== null);
  if (element(id)) element(id).value = sizes.reduce((a, b) => outer(a, b));
}
const announce = () => document.dispatchEvent(new CustomEvent("choice", { detail: choice() }));
element("controls").addEventListener("change", announce);
element("controls").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("choice", ({ detail: { family, shows } }) => {
  for (const block of DATA.blocks) {
    element(`block${block.suffix}`).hidden = family !== "" && family !== block.family;
  }
  for (const row of document.querySelectorAll(".overview tbody tr")) row.hidden = !shows(row.dataset);
});
