"use strict";
// The table of encodings and backends for the chosen runs; `overview.py` writes the first one.
function overviewTexts(row) {
  const time = (value) => (value === null ? DASH : digits(value / DATA.unit.size));
  return {
    ...row, par2_s: time(row.par2_s), median_s: time(row.median_s),
    solved: `${grouped(row.solved)}/${grouped(row.runs)}`,
    largest_n: row.largest_n === null ? DASH : String(row.largest_n), wrong: grouped(row.wrong),
  };
}
function showOverview({ rows: runs, time }) {
  const rows = overview(runs, time).map(overviewTexts);
  const shown = [];
  const same = [];
  for (const column of DATA.overview) {
    const texts = different(rows.map((row) => row[column.name]));
    const said = texts.filter((text) => text !== "" && text !== DASH);
    if (column.always || ((texts.length > 1 || rows.length === 1) && said.length)) shown.push(column);
    else if (said.length) same.push([column.title, said.join("")]);
  }
  const filled = (cell, text, { number }) => {
    cell.textContent = text;
    if (number) cell.className = "number";
    return cell;
  };
  const table = element("overview");
  const headings = shown.map((column) => {
    const heading = document.createElement("th");
    heading.scope = "col";
    return filled(heading, column.title, column);
  });
  table.tHead.rows[0].replaceChildren(...headings);
  table.tBodies[0].replaceChildren(...rows.map((row) => {
    const line = document.createElement("tr");
    for (const column of shown) filled(line.insertCell(), row[column.name], column);
    return line;
  }));
  element("overview-same").textContent = sameIn("row", same);
}
document.addEventListener("choice", (event) => showOverview(event.detail));
