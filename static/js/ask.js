// Comforts of the ask form: shows only the fields that a choice needs, and fills in a fitting amount.
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
    form().dataset.arranged = "";
  };

  // The slider runs over three powers of ten below the most that one question may cost, evenly on
  // a logarithmic scale, and writes two digits: what is typed may be finer. It writes them as the page's
  // language does, in which the field is read.
  const DECADES = 3;
  const sliders = () => [...document.querySelectorAll("[data-slider]")];
  const mostOf = (part) => Number(part.dataset.most);
  const fieldOf = (part) => form().elements[part.dataset.slider];

  const mark = (0.5).toLocaleString(document.documentElement.lang)[1];
  const typed = (plain) => plain.replace(".", mark);
  const amountAt = (part, place) => {
    if (place >= 100) return typed(part.dataset.most);
    const exact = mostOf(part) * 10 ** (DECADES * (place / 100 - 1));
    const rounded = Number(Math.max(exact, Number(part.dataset.least)).toPrecision(2));
    return typed(rounded.toFixed(9).replace(/\.?0+$/, ""));
  };
  const placeOf = (part, amount) => {
    const share = Math.log10(amount / mostOf(part)) / DECADES + 1;
    return Number.isFinite(share) ? Math.round(100 * Math.min(1, Math.max(0, share))) : 0;
  };

  const followFields = () => {
    for (const part of sliders()) {
      part.hidden = !(mostOf(part) > 0);
      if (part.hidden) continue;
      const range = part.querySelector("input");
      const text = fieldOf(part).value;
      if (document.activeElement !== range) range.value = placeOf(part, Number(text.replace(",", ".")));
      range.setAttribute("aria-valuetext", `${part.dataset.sign} ${text}`);
    }
  };

  document.addEventListener("input", (event) => {
    if (!form() || event.target.form !== form()) return;
    // A trial belongs to the question that it was made for.
    if (event.target.name !== "saved_name") document.getElementById("mock")?.replaceChildren();
    const moved = sliders().find((part) => part.contains(event.target));
    if (moved) fieldOf(moved).value = amountAt(moved, Number(event.target.value));
    followFields();
  });
  document.addEventListener("htmx:after:swap", followFields);
  window.addEventListener("pageshow", followFields);

  document.addEventListener("change", showWhatIsNeeded);
  document.addEventListener("htmx:after:swap", showWhatIsNeeded);
  window.addEventListener("pageshow", showWhatIsNeeded);

  // A browser that goes back may fill the fields with what they held then, under a price that was made
  // for what the page came with. And it comes back to what was asked, with its filters and groups.
  const isAsItCame = (field) => {
    if (!field.options) return field.value === field.defaultValue && field.checked === field.defaultChecked;
    const marked = [...field.options].filter((option) => option.defaultSelected);
    return marked.length ? marked.every((option) => option.selected) : field.selectedIndex <= 0;
  };
  document.addEventListener("htmx:after:process", (event) => {
    if (event.target !== document.body || !form()) return;
    const fields = [...form().elements].filter((field) => field.name && field.matches("input, select, textarea"));
    if (!fields.every(isAsItCame)) form().dispatchEvent(new Event("input", { bubbles: true }));
  });
  document.addEventListener("submit", (event) => {
    if (event.target !== form() || event.submitter?.name !== "price" || !("comesBack" in form().dataset)) return;
    history.replaceState(history.state, "", `?asked=${encodeURIComponent(form().elements.key.value)}`);
  });

  // A price is that of what the form held when it was asked for. Until that of what it holds now is there,
  // none can be paid: while something was typed since, and while an answer is on its way that changes
  // the form, during which what is typed stays in its field. Afterwards the price is asked for anew.
  const QUOTE = '#ask-form [hx-trigger^="input"]';
  let isOtherThanAsked = false;
  let isPriceOld = false;
  let isChanging = false;
  const typedMeanwhile = new Set();
  const changesForm = (event) => event.detail.ctx?.target?.id === "ask-form";
  const isQuote = (event) => event.detail.ctx?.target?.matches?.(QUOTE) ?? false;
  const holdThePrice = () => {
    const failed = document.querySelector(`${QUOTE} [data-out-of-date]:not([hidden])`) !== null;
    for (const button of document.querySelectorAll(`${QUOTE} button[name=price]`)) {
      button.disabled = isPriceOld || isChanging || failed;
    }
  };
  document.addEventListener("input", (event) => {
    if (!form() || (event.target.form ?? event.target) !== form()) return;
    isOtherThanAsked = true;
    isPriceOld = true;
    if (isChanging) typedMeanwhile.add(event.target);
    holdThePrice();
  });
  window.htmx?.registerExtension("typed-meanwhile", {
    htmx_before_morph_node: (field) => !typedMeanwhile.has(field),
  });
  document.addEventListener("htmx:before:request", (event) => {
    if (isQuote(event)) isOtherThanAsked = isChanging;
    if (!changesForm(event)) return;
    isOtherThanAsked = document.querySelector(`${QUOTE}.htmx-request`) !== null;
    isChanging = true;
    typedMeanwhile.clear();
    holdThePrice();
  });
  document.addEventListener("htmx:after:swap", (event) => {
    if (isQuote(event) || changesForm(event)) isPriceOld = isOtherThanAsked;
    holdThePrice();
  });
  document.addEventListener("htmx:finally:request", (event) => {
    if (!changesForm(event)) return;
    isChanging = false;
    if (isOtherThanAsked) form().dispatchEvent(new Event("input", { bubbles: true }));
    holdThePrice();
  });

  // A price that could not be renewed is that of another question: it says so and cannot be paid.
  const sayItIsOld = (event) => {
    const old = event.target.querySelector?.(":scope > section > [data-out-of-date]");
    if (!old) return;
    old.hidden = false;
    holdThePrice();
  };
  document.addEventListener("htmx:response:error", sayItIsOld);
  document.addEventListener("htmx:error", sayItIsOld);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[name^=fill_]");
    if (!button || !form()) return;
    event.preventDefault();
    const unit = button.name.replace("fill_", "");
    const field = form().elements[unit];
    if (form().elements.by) form().elements.by.value = unit;
    showWhatIsNeeded();
    field.value = button.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });

  // Terms of use that were accepted in place open the way: the price says so, and the curve.
  document.addEventListener("htmx:after:swap", () => {
    const accepted = document.querySelector("[data-accepted-now]");
    if (!accepted || !form()) return;
    delete accepted.dataset.acceptedNow;
    form().dispatchEvent(new Event("input", { bubbles: true }));
    document.getElementById("curve")?.dispatchEvent(new CustomEvent("dpgov:question"));
  });

  showWhatIsNeeded();
})();
