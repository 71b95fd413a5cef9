"use strict";
// What the scripts of the page share: what was measured, and the elements that show it.
const DATA = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
