// Small manners of every page. Nothing here is needed for a page to work.
"use strict";
(() => {
  // A page of one organisation sends nothing once another tab shows another one: the server would refuse
  // it. It says so while what was typed still stands there.
  const outdated = document.getElementById("outdated");
  const { organisation } = document.body.dataset;
  const tabs = new BroadcastChannel("dpgov-organisation");
  const tellOutdated = () => {
    if (outdated) outdated.hidden = false;
  };
  tabs.addEventListener("message", ({ data }) => {
    if (organisation && data !== organisation) tellOutdated();
  });
  if (organisation) tabs.postMessage(organisation);
  document.addEventListener("dpgov:outdated", tellOutdated);
  document.addEventListener("htmx:response:error", (event) => {
    if (event.detail.ctx.response.status === 403) tellOutdated();
  });
  // Whoever was signed out is led to another page: that is no part of this one.
  document.addEventListener("htmx:before:response", (event) => {
    if (!event.detail.ctx.response.raw.redirected) return;
    event.preventDefault();
    tellOutdated();
    event.target.dispatchEvent(new CustomEvent("htmx:error", { bubbles: true, detail: event.detail }));
  });
  document.addEventListener("submit", (event) => {
    if (!outdated || outdated.hidden || !event.target.matches("#main form[method=post]")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    outdated.scrollIntoView({ block: "center" });
    outdated.focus();
  }, true);

  // htmx listens a moment after the page can be used: what was typed before is heard then.
  const typedBefore = new Set();
  const noteTyping = ({ target }) => typedBefore.add(target);
  document.addEventListener("input", noteTyping, true);
  document.addEventListener("htmx:after:process", () => {
    document.removeEventListener("input", noteTyping, true);
    for (const field of typedBefore) field.dispatchEvent(new Event("input", { bubbles: true }));
  }, { once: true });

  // What stood there was the answer to something else. Where none comes, an empty place says so; where
  // something stands, it is said beside the button that was pressed.
  const ASKED_ANEW = "#entry-body, #verdict, #bounds-box";
  const saidFor = new WeakMap();
  const takeBack = (source) => saidFor.get(source)?.remove();
  document.addEventListener("htmx:before:request", ({ detail }) => {
    takeBack(detail.ctx.sourceElement);
    if (detail.ctx.target?.matches?.(ASKED_ANEW)) detail.ctx.target.replaceChildren();
  });
  const sayItDidNotCome = ({ detail }) => {
    const { target: place, sourceElement: source, response } = detail.ctx ?? {};
    if (!(place instanceof HTMLElement) || place.matches("input, datalist") || response?.status === 422) return;
    takeBack(source);
    const isEmpty = !place.childElementCount;
    if (!isEmpty && !source.matches("button, form")) return;
    const said = document.createElement("p");
    said.className = "alert alert-warning mb-0";
    said.setAttribute("role", "alert");
    said.textContent = document.body.dataset.didNotCome;
    saidFor.set(source, said);
    if (isEmpty) place.append(said);
    else if (source.matches("form")) source.append(said);
    else source.after(said);
  };
  document.addEventListener("htmx:response:error", sayItDidNotCome);
  document.addEventListener("htmx:error", sayItDidNotCome);

  // What a reader opened stays open when what surrounds it is renewed.
  window.htmx?.registerExtension("stays-open", {
    htmx_before_morph_attr: (part, { attrName, newValue }) =>
      !(attrName === "open" && newValue === null && part.matches("details")),
  });

  // A link that also opens a panel here opens a tab for whoever asks for one. Bootstrap looks at the
  // document, on the way down too.
  window.addEventListener("click", (event) => {
    const asksForTab = event.ctrlKey || event.metaKey || event.shiftKey;
    if (asksForTab && event.target.closest?.("a[data-bs-toggle]")) event.stopPropagation();
  }, true);

  // A form that spends or changes something is sent once: a double click is one click.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-once]")) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    for (const button of form.querySelectorAll("button[type=submit]")) {
      button.setAttribute("aria-disabled", "true");
    }
  });

  // On paper a page says where it came from.
  const source = document.querySelector("[data-source]");
  if (source) source.textContent = window.location.href;

  document.querySelector(".tabs .active")?.scrollIntoView({ inline: "center", block: "nearest" });

  // A table that is wider or higher than its frame can be scrolled with the keyboard too.
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const across = target.scrollWidth > target.clientWidth;
      if (across || target.scrollHeight > target.clientHeight) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  function watchTables(root) {
    root.querySelectorAll(".table-responsive, .tabs").forEach((wide) => watcher.observe(wide));
  }
  watchTables(document);
  document.addEventListener("htmx:after:process", (event) => {
    if (event.target instanceof Element) watchTables(event.target);
  });

  // Coming back with the browser's back button finds the form usable again.
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      form.querySelectorAll("[aria-disabled]").forEach((b) => b.removeAttribute("aria-disabled"));
    }
  });
})();
