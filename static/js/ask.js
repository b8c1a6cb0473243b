// Comforts of the ask form: shows only the fields that a choice needs, and fills in a fitting ε.
// Without it every field is visible and every button posts the form.
"use strict";
(() => {
  const form = () => document.getElementById("ask-form");

  const chosen = (pattern) => {
    const [start, end] = pattern.split("*");
    return [...form().elements]
      .filter((field) => field.name && (end === undefined
        ? field.name === pattern
        : field.name.startsWith(start) && field.name.endsWith(end)))
      .map((field) => field.value);
  };

  const showWhatIsNeeded = () => {
    if (!form()) return;
    for (const spare of form().querySelectorAll("[data-without-scripts]")) spare.hidden = true;
    for (const part of form().querySelectorAll("[data-when]")) {
      const wanted = part.dataset.is.split(" ");
      part.hidden = !chosen(part.dataset.when).some((value) => wanted.includes(value));
    }
  };

  document.addEventListener("change", showWhatIsNeeded);
  document.addEventListener("htmx:after:swap", showWhatIsNeeded);
  window.addEventListener("pageshow", showWhatIsNeeded);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=fill_epsilon]");
    if (!button || !form()) return;
    event.preventDefault();
    const field = form().elements.epsilon;
    if (form().elements.by) form().elements.by.value = "epsilon";
    showWhatIsNeeded();
    field.value = button.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });

  showWhatIsNeeded();
})();
