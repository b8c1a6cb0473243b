// Adds what was found to the box in which names stand on lines. Without it one types them there.
"use strict";
(() => {
  function add(box) {
    const line = box.querySelector("input");
    const lines = document.getElementById(box.dataset.addsTo);
    const name = line.value.trim();
    if (!name) return;
    const known = lines.value.split("\n").map((one) => one.trim()).filter(Boolean);
    if (!known.includes(name)) lines.value = [...known, name].join("\n") + "\n";
    lines.dispatchEvent(new Event("input", { bubbles: true }));
    line.value = "";
    line.focus();
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-adds-to] button");
    if (button) add(button.parentElement);
  });
  document.addEventListener("keydown", (event) => {
    const box = event.target.closest?.("[data-adds-to]");
    if (!box || event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    add(box);
  });
})();
