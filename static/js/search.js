// Ctrl-K opens a box that leads anywhere; arrows go through what it found. Without it the button is a
// link to a page that does the same.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("search-box");
  if (!box) return;
  const words = document.getElementById("search-words");
  const list = document.getElementById("search-found");
  const links = () => [...list.querySelectorAll("a")];

  // What stands in the list was found for the words above it: Enter opens nothing that was found for
  // others, and where nothing stands there it sends the form to the page.
  words.addEventListener("input", () => {
    words.dispatchEvent(new Event("htmx:abort"));
    list.replaceChildren();
  });

  const open = () => {
    if (box.open) return;
    box.showModal();
    words.select();
    words.dispatchEvent(new Event("input"));
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
