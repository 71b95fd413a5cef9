"use strict";
// Formats numbers for readers.
const DASH = "–";
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u00a0");

// Three digits, no exponent.
function digits(value) {
  const places = value > 0 ? 2 - Math.floor(Math.log10(value)) : 0;
  return Number(value.toPrecision(3)).toFixed(Math.min(100, Math.max(0, places)));
}
// A time with a given number of digits, in the unit that suits it.
function duration(value, figures) {
  const units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6]];
  const [unit, size] = units.find(([, size]) => value >= size) || units.at(value ? -1 : 0);
  const scaled = value / size;
  return `${scaled >= 100 ? Math.round(scaled) : Number(scaled.toPrecision(figures))} ${unit}`;
}
// A sentence below a table, with the columns that are equal in every row and their values.
const sameIn = (rows, same) =>
  same.length ? `The same in every ${rows}: ${same.map((pair) => pair.join(" ")).join(", ")}.` : "";
