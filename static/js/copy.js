// Buttons that copy the text they stand beside. Without scripts they are hidden, and the text can
// be selected as ever.
"use strict";
(() => {
  const show = () => {
    for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
  };

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    const said = button.parentElement.querySelector("[data-copied]");
    try {
      await navigator.clipboard.writeText(source.textContent);
      said.textContent = said.dataset.done || "Copied.";
    } catch {
      // Browsers allow it on secure addresses only.
      select(source);
      said.textContent = said.dataset.selected || "Selected: copy it with your keyboard.";
    }
  });

  document.addEventListener("htmx:after:swap", show);
  window.addEventListener("pageshow", show);
  show();
})();
