// Group privacy: the slider moves the dots on the curve and says what holds for a group of that size.
// Without scripts the slider is sent with the form.
"use strict";
(() => {
  const form = document.querySelector("[data-groups]");
  const points = JSON.parse(document.getElementById("group-points").textContent);

  form.querySelector("#group-size").addEventListener("input", (event) => {
    const point = points[Number(event.target.value) - 1];
    form.querySelector("[data-group-size]").textContent = point.size;
    form.querySelector("[data-group-certain]").textContent = point.certain;
    form.querySelector("[data-group-cost]").textContent = point.cost;
    event.target.setAttribute("aria-valuetext", point.certain);
    const block = document.getElementById("certainty-figure");
    const figure = JSON.parse(block.textContent);
    point.shares.forEach((share, line) => Object.assign(figure.data[line + 2], { x: [point.size], y: [share] }));
    block.textContent = JSON.stringify(figure);
    document.getElementById("certainty").dispatchEvent(new CustomEvent("dpgov:figure", { bubbles: true }));
  });
})();
