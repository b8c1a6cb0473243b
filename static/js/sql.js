// Writing SQL: column names are put into the text by a click, and completed with the Tab key.
"use strict";
(() => {
  const list = document.querySelector("[data-into]");
  const text = list && document.getElementById(list.dataset.into);
  if (!text) return;
  const names = [...list.querySelectorAll("[data-insert]")].map((name) => name.dataset.insert);

  const put = (from, to, words) => {
    text.setRangeText(words, from, to, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.focus();
  };

  for (const name of list.querySelectorAll("[data-insert]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-sm btn-quiet font-monospace";
    button.textContent = button.dataset.insert = name.dataset.insert;
    button.addEventListener("click", () => put(text.selectionStart, text.selectionEnd, button.dataset.insert));
    name.replaceWith(button);
  }

  // Only where a name has begun and one column alone begins so: otherwise Tab moves on as everywhere.
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || event.shiftKey || text.selectionStart !== text.selectionEnd) return;
    const begun = text.value.slice(0, text.selectionStart).match(/[\p{L}_][\p{L}\p{N}_]*$/u)?.[0];
    const found = begun ? names.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase())) : [];
    if (found.length !== 1 || found[0] === begun) return;
    event.preventDefault();
    put(text.selectionStart - begun.length, text.selectionStart, found[0]);
  });
})();
