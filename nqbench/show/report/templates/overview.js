"use strict";
// The table of encodings and backends for the chosen runs; `overview.py` writes the first one.
const SHOWN_TIMES = ["encode_s", "load_s", "solve_s", "total_s", "par2_s"];
function overviewTexts(row, unit) {
  const time = (value) => (value === null ? DASH : digits(value / unit.size));
  return {
    ...row, ...Object.fromEntries(SHOWN_TIMES.map((name) => [name, time(row[name])])),
    encoding: row.encoding === FILE ? "" : row.encoding,
    solved: `${grouped(row.solved)}/${grouped(row.runs)}`, solved_share: percents(row.solved / row.runs),
    largest_n: row.largest_n === null ? DASH : String(row.largest_n), wrong: grouped(row.wrong),
  };
}
function showOverview({ rows: runs, time }, { suffix, unit, columns, noun }) {
  const rows = overview(runs, time).map((row) => overviewTexts(row, unit));
  const shown = [];
  const same = [];
  for (const column of columns) {
    const texts = different(rows.map((row) => row[column.name]));
    const said = texts.filter((text) => text !== "" && text !== DASH);
    if (said.length && (column.always || texts.length > 1 || rows.length === 1)) shown.push(column);
    else if (said.length) same.push([column.title, said.join("")]);
  }
  const filled = (cell, text, { number }) => {
    cell.textContent = text;
    if (number) cell.className = "number";
    return cell;
  };
  const table = element(`overview${suffix}`);
  const headings = shown.map((column) => {
    const heading = document.createElement("th");
    heading.scope = "col";
    return filled(heading, column.title, column);
  });
  table.classList.toggle("ranked", rows.length > 1 && rows[0].par2_s !== DASH);
  table.tHead.rows[0].replaceChildren(...headings);
  table.tBodies[0].replaceChildren(...rows.map((row) => {
    const line = document.createElement("tr");
    for (const column of shown) filled(line.insertCell(), row[column.name], column);
    return line;
  }));
  element(`caution${suffix}`).textContent = coverageNote(runs, noun);
  element(`overview-same${suffix}`).textContent = sameIn("row", same);
}
document.addEventListener("choice", ({ detail }) => {
  for (const block of DATA.blocks) showOverview(ofBlock(detail, block), block);
});
