"use strict";
// Data that the scripts of the page share: the runs as columns, and the elements that show them.
const DATA = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);

function reader(column) {
  if ("constant" in column) return () => column.constant;
  if (column.codes) return (row) => column.values[column.codes[row]];
  return (row) => column.numbers[row];
}
// For each column, a function from the number of a row to its value.
const readers = (columns) =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, reader(column)]));
const RUN = readers(DATA.runs);
const ALL_RUNS = Array.from({ length: DATA.count }, (_, row) => row);

// The different values of a column.
function valuesOf(name) {
  const column = DATA.runs[name];
  return "constant" in column ? [column.constant] : column.values ?? [...new Set(column.numbers)];
}
