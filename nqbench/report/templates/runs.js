"use strict";
// The table of runs: filtered, sorted, a page at a time. Rows stay columns of codes and numbers.
(() => {
  const PAGE = 50;
  const names = Object.keys(DATA.runs);
  const columns = names.map((name) => DATA.runs[name]);
  const count = (columns[0].codes || columns[0].numbers).length;
  const value = (column, row) =>
    column.codes ? column.values[column.codes[row]] : column.numbers[row];
  const text = (name, found) => {
    if (found === null || found === "") return "";
    if (name.endsWith("_s")) return found.toPrecision(3);
    if (name === "peak_rss_bytes") return (found / 2 ** 20).toFixed(1);
    return String(found);
  };
  const title = (name) =>
    name === "peak_rss_bytes" ? "peak MiB" : name.endsWith("_s") ? `${name.slice(0, -2)} s` : name.replace("_", " ");

  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u00a0");

  let order = Array.from({ length: count }, (_, i) => i);
  let matching = order;
  let sorted = { column: -1, upward: true };
  let page = 0;

  function matches(words) {
    // A word is looked for in the few different values of each column, not in every row.
    return words.map((word) => {
      const size = /^n=(\d+)$/.exec(word);
      const n = columns[names.indexOf("n")].numbers;
      if (size) return (row) => n[row] === Number(size[1]);
      const hits = columns.filter((column) => column.codes).map((column) => ({
        codes: column.codes,
        found: column.values.map((known) => known !== null && known.toLowerCase().includes(word)),
      }));
      return (row) => hits.some(({ codes, found }) => found[codes[row]]);
    });
  }
  function filter() {
    const tests = matches(element("filter").value.toLowerCase().split(/\s+/).filter(Boolean));
    matching = order.filter((row) => tests.every((test) => test(row)));
    page = 0;
    show();
  }
  function sort(position) {
    sorted = { column: position, upward: sorted.column === position ? !sorted.upward : true };
    const column = columns[position];
    const sign = sorted.upward ? 1 : -1;
    order = Array.from({ length: count }, (_, i) => i).sort((a, b) => {
      const [x, y] = [value(column, a), value(column, b)];
      if (x === y) return a - b;
      if (x === null) return 1;
      if (y === null) return -1;
      return x < y ? -sign : sign;
    });
    filter();
  }
  function show() {
    const last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
    page = Math.min(Math.max(page, 0), last);
    const rows = matching.slice(page * PAGE, (page + 1) * PAGE).map((row) => {
      const line = document.createElement("tr");
      names.forEach((name, i) => {
        const cell = line.insertCell();
        cell.textContent = text(name, value(columns[i], row));
        cell.title = cell.textContent;
        if (columns[i].numbers) cell.className = "number";
      });
      return line;
    });
    document.querySelector("#runs tbody").replaceChildren(...rows);
    document.querySelectorAll("#runs th").forEach((cell, i) => {
      const direction = sorted.upward ? "ascending" : "descending";
      cell.ariaSort = sorted.column === i ? direction : "none";
      cell.querySelector("span").textContent = sorted.column === i ? (sorted.upward ? " ▲" : " ▼") : "";
    });
    element("shown").textContent = `${grouped(matching.length)} of ${grouped(count)} runs, page ${page + 1} of ${last + 1}`;
    element("previous").disabled = page === 0;
    element("next").disabled = page === last;
  }
  function csv() {
    const quoted = (found) =>
      /[",\n]/.test(found) ? `"${found.replaceAll('"', '""')}"` : found;
    const lines = [names.join(",")];
    for (const row of matching) {
      lines.push(columns.map((column) => quoted(String(value(column, row) ?? ""))).join(","));
    }
    return `${lines.join("\n")}\n`;
  }

  const header = document.querySelector("#runs thead").insertRow();
  names.forEach((name, i) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    if (columns[i].numbers) cell.className = "number";
    const button = document.createElement("button");
    button.textContent = title(name);
    button.append(document.createElement("span"));
    button.onclick = () => sort(i);
    cell.append(button);
    header.append(cell);
  });
  element("filter").oninput = filter;
  element("previous").onclick = () => { page -= 1; show(); };
  element("next").onclick = () => { page += 1; show(); };
  element("download").onclick = () => {
    element("download").href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  };
  show();
})();
