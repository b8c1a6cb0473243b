// The rest of the registration form: shows what the choices above need, and begins an ε.
"use strict";
(() => {
  // Parts for one choice of a question, such as a column that names people or a δ.
  for (const name of ["unit", "mode"]) {
    const choices = document.querySelectorAll(`input[name="${name}"]`);
    const arrange = () => {
      const chosen = [...choices].find((choice) => choice.checked)?.value;
      for (const part of document.querySelectorAll(`[data-${name}]`)) {
        part.hidden = part.dataset[name] !== chosen;
      }
    };
    if (choices.length) arrange();
    choices.forEach((choice) => choice.addEventListener("change", arrange));
  }

  // Where to begin, in the box as long as nobody has typed anything else into it.
  const limit = document.getElementById("id_epsilon_limit");
  let begun = "";
  for (const harm of document.querySelectorAll("input[name='harm'][data-begin]")) {
    harm.addEventListener("change", () => {
      if (!limit || (limit.value && limit.value !== begun)) return;
      begun = limit.value = harm.dataset.begin;
      limit.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  document.getElementById("problems")?.focus();
})();
