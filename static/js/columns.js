// Shows the fields of each column's chosen type only. Without this file all of them are shown.
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
  document.getElementById("problems")?.focus();
})();
