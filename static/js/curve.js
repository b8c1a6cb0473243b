// The curve of price against error: asked for when the question changes, not when its price does; the
// handle moves the dot and the ghost's error bars, and fills the amount into the form.
"use strict";
(() => {
  const PRICE = ["priced", "by", "epsilon", "rho", "value", "percent", "least", "level", "target", "allocation", "saved_name"];
  const panel = () => document.getElementById("curve");
  const points = () => JSON.parse(document.getElementById("curve-points")?.textContent ?? "[]");
  let last = "";
  // The price that a curve was asked for again, once the question had one at all.
  let priced = "";

  const question = () => {
    const form = document.getElementById("ask-form");
    if (!form) return "";
    const kept = [...new FormData(form)].filter(([name]) => !PRICE.includes(name) && name !== "key");
    return JSON.stringify(kept);
  };

  const ask = () => {
    if (!panel()) return;
    const now = document.querySelector("#quote [name=priced]")?.value ?? "";
    const isAsking = panel().classList.contains("htmx-request");
    const lacks = now && now !== priced && !isAsking && !panel().querySelector("[data-curve]");
    if (question() === last && !lacks) return;
    last = question();
    priced = now;
    panel().dispatchEvent(new CustomEvent("dpgov:question"));
  };

  const redrawn = (id, change) => {
    const block = document.getElementById(`${id}-figure`);
    if (!block) return;
    const figure = JSON.parse(block.textContent);
    change(figure);
    block.textContent = JSON.stringify(figure);
    document.getElementById(id).dispatchEvent(new CustomEvent("dpgov:figure", { bubbles: true }));
  };

  const move = (draws) => {
    const handle = document.getElementById("curve-handle");
    const point = handle && points()[Number(handle.value)];
    if (!point) return;
    const words = `${point.words} (${point.verdict})`;
    panel().querySelector("[data-curve-words]").textContent = words;
    handle.setAttribute("aria-valuetext", words);
    if (!draws) return;
    redrawn("price-curve", (figure) => {
      figure.data[1].x = [point.x];
      figure.data[1].y = [point.y];
    });
    redrawn("ghost", (figure) => {
      const [low, high] = figure.data[0].meta.limits;
      figure.data[0].error_x.array = point.errors.map((error) => Math.min(error ?? 0, (high - low) / 2));
    });
  };

  const show = () => {
    const part = panel()?.querySelector("[data-curve]");
    if (!part) return;
    part.hidden = false;
    move(false);
  };

  // The handle asks for no new price: what it says is on the page already.
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      if (event.target.id !== "curve-handle") return;
      event.stopPropagation();
      if (kind === "input") move(true);
    }, true);
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-curve-use]")) return;
    const form = document.getElementById("ask-form");
    const unit = panel().querySelector("[data-curve]").dataset.curve;
    const field = form.elements[unit];
    if (form.elements.by) form.elements.by.value = unit;
    form.dispatchEvent(new Event("change", { bubbles: true }));
    field.value = points()[Number(document.getElementById("curve-handle").value)].value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  document.addEventListener("change", ask);
  document.addEventListener("htmx:after:swap", () => { ask(); show(); });
  // Whatever stands there is that of another question, and the next look asks again.
  for (const failure of ["htmx:response:error", "htmx:error"]) {
    document.addEventListener(failure, ({ detail }) => {
      if (!panel() || detail.ctx?.target !== panel()) return;
      last = "";
      panel().replaceChildren();
    });
  }
  last = question(); // The panel asks by itself when it is loaded.
  show();
})();
