"use strict";
// The table of runs: filtered, sorted, and split into pages.
const DATA = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);

// A function from the number of a row to its value in a column.
function reader(column) {
  if ("constant" in column) return () => column.constant;
  if (column.codes) return (row) => column.values[column.codes[row]];
  return (row) => column.numbers[row];
}
const RUN = Object.fromEntries(
  Object.entries(DATA.runs).map(([name, column]) => [name, reader(column)]));
const ALL_RUNS = Array.from({ length: DATA.count }, (_, row) => row);

const grouped = (number) => number < 10000 ? String(number) : String(number).replace(/\B(?=(\d{3})+$)/g, ",");
// Three significant digits, no exponent.
function digits(value) {
  const places = value > 0 ? 2 - Math.floor(Math.log10(value)) : 0;
  return Number(value.toPrecision(3)).toFixed(Math.min(100, Math.max(0, places)));
}

const PAGE = 50;
const ALWAYS = new Set(["backend", "outcome", "solve_s"]);
const NEVER = (name) => name === "encoding" && DATA.runs[name].constant === "file";
const constant = (name) => "constant" in DATA.runs[name] && !ALWAYS.has(name) &&
  !(["n", "encoding"].includes(name) && RUN[name](0) !== null);
const numeric = (name) => "numbers" in DATA.runs[name] || typeof DATA.runs[name].constant === "number";
const isTime = (name) => name.endsWith("_s");
// Messages are long: each is in a line below its run.
const BELOW = "message";
const shown = DATA.listed.filter((name) => !constant(name) && !NEVER(name) && name !== BELOW);
const withMessages = !constant(BELOW);

function title(name) {
  if (name === "peak_rss_bytes") return "peak (MiB)";
  return isTime(name) ? `${name.slice(0, -2)} (${DATA.unit.name})` : name.replace("_", " ");
}
function text(name, found) {
  if (found === null || found === "") return "";
  if (isTime(name)) return digits(found);
  return name === "peak_rss_bytes" ? (found / 2 ** 20).toFixed(1) : String(found);
}

let matching = ALL_RUNS;
let sorted = { name: "", upward: true };
let page = 0;

function matches(words) {
  // Search for a word in the few different values of each column, not in every row.
  const texts = DATA.listed.map((name) => DATA.runs[name]).filter((column) => column.codes);
  return words.map((word) => {
    const size = /^n=(\d+)$/.exec(word);
    if (size) return (row) => RUN.n(row) === Number(size[1]);
    const has = (known) => typeof known === "string" && known.toLowerCase().includes(word);
    if (DATA.listed.some((name) => has(DATA.runs[name].constant))) return () => true;
    const hits = texts.map((column) => ({ codes: column.codes, found: column.values.map(has) }));
    return (row) => hits.some(({ codes, found }) => found[codes[row]]);
  });
}
function inOrder(rows) {
  if (!sorted.name) return rows;
  const value = RUN[sorted.name];
  const sign = sorted.upward ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === y) return a - b;
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y ? -sign : sign;
  });
}
function filter() {
  const tests = matches(element("filter").value.toLowerCase().split(/\s+/).filter(Boolean));
  matching = inOrder(ALL_RUNS.filter((row) => tests.every((test) => test(row))));
  page = 0;
  show();
}
function sort(name) {
  sorted = { name, upward: sorted.name === name ? !sorted.upward : true };
  filter();
}
function heading(name) {
  const cell = document.createElement("th");
  const button = document.createElement("button");
  const here = sorted.name === name;
  cell.scope = "col";
  cell.ariaSort = here ? (sorted.upward ? "ascending" : "descending") : "none";
  if (numeric(name)) cell.className = "number";
  button.textContent = title(name) + (here ? (sorted.upward ? " ▲" : " ▼") : "");
  button.onclick = () => {
    sort(name);
    document.querySelectorAll("#runs th button")[shown.indexOf(name)].focus();
  };
  cell.append(button);
  return cell;
}
function line(row) {
  const drawn = document.createElement("tr");
  for (const name of shown) {
    const cell = drawn.insertCell();
    cell.textContent = cell.title = text(name, RUN[name](row));
    cell.className = numeric(name) ? "number" : name;
  }
  return drawn;
}
function below(row) {
  const found = withMessages && RUN[BELOW](row);
  if (!found) return [];
  const drawn = document.createElement("tr");
  drawn.className = BELOW;
  drawn.insertCell().colSpan = shown.length;
  drawn.cells[0].textContent = found;
  return [drawn];
}
function show() {
  const last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
  page = Math.min(Math.max(page, 0), last);
  const table = element("runs");
  table.tHead.rows[0].replaceChildren(...shown.map(heading));
  table.tBodies[0].replaceChildren(
    ...matching.slice(page * PAGE, (page + 1) * PAGE).flatMap((row) => [line(row), ...below(row)]),
  );
  element("shown").textContent = `${grouped(matching.length)} of ${grouped(DATA.count)} runs, page ${page + 1} of ${last + 1}`;
  element("previous").disabled = page === 0;
  element("next").disabled = page === last;
}
function showSame() {
  const filled = DATA.listed.filter((name) => constant(name) && !NEVER(name)).map((name) => [title(name), text(name, RUN[name](0))]);
  const same = filled.filter(([, said]) => said).map((pair) => pair.join(" "));
  element("runs-same").textContent = same.length ? `The same in every run: ${same.join(", ")}.` : "";
}
function csv() {
  // A spreadsheet would execute what begins like a formula.
  const plain = (found) => (/^'*[=+\-@\t\r]/.test(found) && Number.isNaN(Number(found)) ? `'${found}` : found);
  const quoted = (found) => (/[",\n]/.test(found) ? `"${found.replaceAll('"', '""')}"` : found);
  const exact = (name, found) =>
    isTime(name) && found !== null ? Number((found * DATA.unit.size).toPrecision(4)) : found;
  const lines = [DATA.listed.join(",")];
  for (const row of matching) {
    lines.push(DATA.listed.map((name) => quoted(plain(String(exact(name, RUN[name](row)) ?? "")))).join(","));
  }
  return `${lines.join("\n")}\n`;
}

element("filter").oninput = filter;
element("previous").onclick = () => { page -= 1; show(); };
element("next").onclick = () => { page += 1; show(); };
element("download").onclick = () => {
  element("download").href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
};
showSame();
show();
