"use strict";
// Sorts the tables of problems by a click on a heading. What has no key is last in both orders.
for (const table of document.querySelectorAll("table.problems")) {
  const [body] = table.tBodies;
  const headings = [...table.tHead.rows[0].cells];
  const keyOf = (cell) => {
    if (!("key" in cell.dataset)) return cell.textContent || null;
    return cell.dataset.key === "" ? null : Number(cell.dataset.key);
  };
  function sort(place, upward) {
    const sign = upward ? 1 : -1;
    const rows = [...body.rows].map((row, i) => ({ row, i, key: keyOf(row.cells[place]) }));
    rows.sort((a, b) => {
      if (a.key === b.key) return a.i - b.i;
      if (a.key === null) return 1;
      if (b.key === null) return -1;
      return a.key < b.key ? -sign : sign;
    });
    body.replaceChildren(...rows.map(({ row }) => row));
    headings.forEach((heading, i) => {
      heading.ariaSort = i === place ? (upward ? "ascending" : "descending") : "none";
    });
  }
  headings.forEach((heading, place) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    button.onclick = () => sort(place, heading.ariaSort !== "ascending");
    heading.ariaSort = place === 0 ? "ascending" : "none";
    heading.append(button);
  });
}
