// Ctrl-K opens a box that leads anywhere; arrows go through what it found. Without it the button is a
// link to a page that does the same.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("search-box");
  if (!box) return;
  const words = document.getElementById("search-words");
  const links = () => [...box.querySelectorAll("#search-found a")];

  const open = () => {
    if (box.open) return;
    box.showModal();
    words.select();
  };

  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-opens=search-box]") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      open();
    } else if (event.target === box) {
      box.close();
    }
  });

  box.addEventListener("keydown", (event) => {
    const found = links();
    const place = found.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && found.length) found[Math.min(place + 1, found.length - 1)].focus();
    else if (event.key === "ArrowUp" && place > 0) found[place - 1].focus();
    else if (event.key === "ArrowUp") words.focus();
    else if (event.key === "Enter" && event.target === words && found.length) found[0].click();
    else return;
    event.preventDefault();
  });
});
