// Asks before a page is left on which a form was changed and not sent; nothing typed is kept anywhere.
// Forms that keep themselves (data-autosave), and those with a password or a code, are left alone.
"use strict";
(() => {
  const KEY = "dpgov-sent";
  const left = "form[data-autosave], form[method=get], form[role=search], form:has([type=password], [autocomplete=one-time-code])";
  const name = (form) => `${location.pathname} ${form.id || form.getAttribute("action") || ""}`;
  const watched = () => [...document.querySelectorAll("#main form[method=post]")].filter((form) => !form.matches(left));
  // By name and not by element: a part of the page that is renewed brings the same form again.
  const changed = new Set();

  function note(event) {
    const { target } = event;
    const form = target instanceof HTMLFormElement ? target : target.form;
    // Only a person changes a form, or the editor of SQL for them; a box without a name is looked at.
    if (form && watched().includes(form) && (target === form || target.name)) changed.add(name(form));
  }
  document.addEventListener("input", note);
  document.addEventListener("change", note);

  document.addEventListener("submit", (event) => {
    // Sent by a script, it stays on the page and is not finished.
    if (event.defaultPrevented) return;
    if (changed.delete(name(event.target))) sessionStorage.setItem(KEY, name(event.target));
  });

  // Sent by a script that leads on.
  document.addEventListener("dpgov:sent", ({ target }) => changed.delete(name(target)));

  // A form that comes back with something to be put right is as unsaved as it was.
  const sent = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const back = watched().find((form) => name(form) === sent);
  if (back?.querySelector("[aria-invalid=true], .is-invalid, .alert-danger")) changed.add(sent);

  window.addEventListener("beforeunload", (event) => {
    if (watched().some((form) => changed.has(name(form)))) event.preventDefault();
  });
})();
