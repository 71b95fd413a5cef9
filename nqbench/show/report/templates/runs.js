"use strict";
// The table of runs that the controls choose: filtered, sorted, and split into pages.
(() => {
  const PAGE = 50;
  const ALWAYS = new Set(["backend", "outcome", "solve_s"]);
  const NEVER = (name) => name === "encoding" && DATA.runs[name].constant === "file";
  const TIMES = ["solve_s", "total_s"];
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
  // The time that the controls choose comes before all other times.
  function columns() {
    const [first, second] = TIMES[0] === time ? TIMES : [...TIMES].reverse();
    return shown.map((name) => ({ solve_s: first, total_s: second })[name] || name)
      .filter((name) => shown.includes(name));
  }

  let time = TIMES[0];
  let chosen = ALL_RUNS;
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
    matching = inOrder(chosen.filter((row) => tests.every((test) => test(row))));
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
      document.querySelectorAll("#runs th button")[columns().indexOf(name)].focus();
    };
    cell.append(button);
    return cell;
  }
  function line(row, names) {
    const drawn = document.createElement("tr");
    for (const name of names) {
      const cell = drawn.insertCell();
      cell.textContent = cell.title = text(name, RUN[name](row));
      cell.className = numeric(name) ? "number" : name;
    }
    return drawn;
  }
  function below(row, width) {
    const found = withMessages && RUN[BELOW](row);
    if (!found) return [];
    const drawn = document.createElement("tr");
    drawn.className = BELOW;
    drawn.insertCell().colSpan = width;
    drawn.cells[0].textContent = found;
    return [drawn];
  }
  function show() {
    const last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
    page = Math.min(Math.max(page, 0), last);
    const names = columns();
    const table = element("runs");
    table.tHead.rows[0].replaceChildren(...names.map(heading));
    table.tBodies[0].replaceChildren(
      ...matching.slice(page * PAGE, (page + 1) * PAGE).flatMap((row) => [line(row, names), ...below(row, names.length)]),
    );
    element("shown").textContent = `${grouped(matching.length)} of ${grouped(DATA.count)} runs, page ${page + 1} of ${last + 1}`;
    element("previous").disabled = page === 0;
    element("next").disabled = page === last;
  }
  function same() {
    const filled = DATA.listed.filter((name) => constant(name) && !NEVER(name)).map((name) => [title(name), text(name, RUN[name](0))]);
    element("runs-same").textContent = sameIn("run", filled.filter(([, said]) => said));
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

  document.addEventListener("choice", (event) => {
    ({ rows: chosen, time } = event.detail);
    filter();
  });
  element("filter").oninput = filter;
  element("previous").onclick = () => { page -= 1; show(); };
  element("next").onclick = () => { page += 1; show(); };
  element("download").onclick = () => {
    element("download").href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  };
  same();
  show();
})();
