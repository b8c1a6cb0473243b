// Shows the fields of each column's chosen type only, and those about a column that names people
// where there is one. Without this file all of them are shown.
"use strict";
(() => {
  function arrange(column) {
    const kind = column.querySelector("select[name$='-kind']").value;
    const missing = column.querySelector("select[name$='-missing']").value;
    for (const part of column.querySelectorAll("[data-for]")) {
      const wanted = part.dataset.for.split(" ");
      part.hidden = wanted.includes("impute")
        ? !(kind && missing === "impute")
        : !wanted.includes(kind);
    }
  }

  for (const column of document.querySelectorAll("[data-column]")) {
    arrange(column);
    column.addEventListener("change", () => arrange(column));
  }

  const units = document.querySelectorAll("input[name='unit']");
  function chosen() {
    for (const part of document.querySelectorAll("[data-unit]")) {
      part.hidden = ![...units].some((unit) => unit.checked && unit.value === part.dataset.unit);
    }
  }
  chosen();
  units.forEach((unit) => unit.addEventListener("change", chosen));
  document.getElementById("problems")?.focus();
})();
