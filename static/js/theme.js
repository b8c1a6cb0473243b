// Light, dark or as the device: chosen by the person, kept in localStorage, applied before the
// first paint (this file is loaded in the head, without defer).
"use strict";
(() => {
  const KEY = "dpgov-theme";
  let unkept = null; // where storage is forbidden: for this page
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function choice() {
    try {
      return localStorage.getItem(KEY) || "auto";
    } catch {
      return unkept || "auto";
    }
  }

  function apply() {
    const chosen = choice();
    const theme = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen;
    document.documentElement.dataset.bsTheme = theme;
    for (const button of document.querySelectorAll("[data-theme-choice]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen));
    }
    document.dispatchEvent(new CustomEvent("dpgov:theme", { detail: theme }));
  }

  function choose(event) {
    const button = event.target.closest("[data-theme-choice]");
    if (!button) return;
    try {
      localStorage.setItem(KEY, button.dataset.themeChoice);
    } catch {
      unkept = button.dataset.themeChoice;
    }
    apply();
  }

  apply();
  dark.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", apply);
  document.addEventListener("click", choose);
})();
