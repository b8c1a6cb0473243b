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
