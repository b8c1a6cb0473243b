// A lesson's sliders say where they stand while they are moved; htmx fetches what changes. Without
// scripts the form is sent.
"use strict";
(() => {
  const form = document.querySelector("[data-lesson]");
  if (!form) return;
  form.addEventListener("input", (event) => {
    const slider = event.target;
    if (slider.type !== "range") return;
    const places = JSON.parse(document.getElementById(`${slider.name}-places`).textContent);
    const said = places[Number(slider.value)];
    form.querySelector(`output[for="${slider.id}"]`).textContent = said;
    slider.setAttribute("aria-valuetext", said);
  });
  form.addEventListener("click", (event) => {
    const again = event.target.closest("[data-again]");
    if (!again || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const slider = document.getElementById(again.dataset.again);
    slider.value = (Number(slider.value) + 1) % (Number(slider.max) + 1);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
})();
