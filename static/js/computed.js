// Computed columns: of each formula only the fields that it has. Without this file all are shown.
"use strict";
(() => {
  const part = document.getElementById("computed-columns");
  if (!part) return;
  function arrange(column) {
    const kind = column.querySelector("[name$='-formula']").value;
    for (const box of column.querySelectorAll("[data-for]")) {
      // What was refused stays to be seen.
      const isOff = kind !== "" && !box.dataset.for.split(" ").includes(kind);
      box.hidden = isOff;
      for (const input of box.querySelectorAll("input, select, textarea")) input.disabled = isOff;
    }
    const impute = column.querySelector("[name$='-impute']");
    const isFixed = column.querySelector("[name$='-missing']").value === "impute";
    impute.disabled = !isFixed;
    impute.parentElement.hidden = !isFixed;
  }
  part.addEventListener("change", (event) => {
    const column = event.target.closest("[data-computed]");
    if (column) arrange(column);
  });
  part.querySelectorAll("[data-computed]").forEach(arrange);
})();
