// Opens what the bounds of a row cost as a box over the grid. Without this file the button of a row opens
// a page beside the form.
"use strict";
(() => {
  const box = document.getElementById("bounds-box");
  const form = document.querySelector("form[data-autosave]");
  if (!box || !form) return;
  const AROUND = ["unit", "neighbouring", "group_size", "max_rows_per_unit", "mode", "epsilon_limit", "epsilon_per_query", "version_of"];

  // What is typed in the box is answered while it is typed.
  box.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", async (event) => {
    if (event.target === box || event.target.closest("#bounds-box [data-close]")) box.close();
    const button = event.target.closest("button[name=bounds]");
    if (!button) return;
    event.preventDefault();
    const fields = new FormData(form);
    const sent = new URLSearchParams({ bounds: button.value });
    const row = `${button.value.split(" ")[0]}-`;
    for (const [name, value] of fields) {
      if (AROUND.includes(name) || name.startsWith(row)) sent.append(name, value);
    }
    await window.htmx.ajax("GET", `${box.dataset.bounds}?${sent}`, { target: box, swap: "innerHTML" });
    if (!box.open) box.showModal();
    box.dispatchEvent(new CustomEvent("dpgov:figure", { bubbles: true }));
  });
})();
