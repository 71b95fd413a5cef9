"use strict";
// Data that the scripts of the page share: the runs as columns, and the elements that show them.
const DATA = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);

function reader(column) {
  if ("constant" in column) return () => column.constant;
  if (column.codes) return (row) => column.values[column.codes[row]];
  return (row) => column.numbers[row];
}
// For each column, a function from the number of a run to its value.
const RUN = Object.fromEntries(
  Object.entries(DATA.runs).map(([name, column]) => [name, reader(column)]),
);
const ALL_RUNS = Array.from({ length: DATA.count }, (_, row) => row);

// The different values of a column, and for each run the position of its value.
const CODES = {};
function codesOf(name) {
  return (CODES[name] ??= coded(DATA.runs[name]));
}
function coded(column) {
  if ("constant" in column) return { values: [column.constant], codes: [] };
  if (column.codes) return column;
  const values = [...new Set(column.numbers)];
  const places = new Map(values.map((value, place) => [value, place]));
  return { values, codes: column.numbers.map((value) => places.get(value)) };
}
