// Keeps what stands in a form on the server, a moment after each change and before it is left.
"use strict";
(() => {
  const form = document.querySelector("form[data-autosave]");
  const told = document.getElementById("autosaved");
  if (!form || !told) return;
  const words = told.dataset;
  const seen = form.elements.draft_seen;
  const PAUSE = 2000;
  let changes = 0, kept = 0, running = null, sending = null, leaving = false, timer = 0, savedAt = 0, stopped = false;
  // Refused because this page is of another organisation or session: nothing more is kept of it.
  let barred = false;
  // The last attempt did not arrive: one more behind the page that is left would not either.
  let failed = false;
  // Whoever comes back with the browser's button wants what stands in front of them.
  let mine = performance.getEntriesByType("navigation")[0]?.type === "back_forward";

  const body = () => {
    const fields = new URLSearchParams(new FormData(form));
    if (mine) fields.delete("draft_seen");
    return fields;
  };
  const say = (text, isProblem = false) => {
    told.textContent = text;
    told.classList.toggle("text-danger", isProblem);
  };
  function age() {
    if (!savedAt || changes > kept || stopped) return;
    const seconds = Math.round((Date.now() - savedAt) / 1000);
    if (seconds < 5) say(words.now);
    else if (seconds < 60) say(words.seconds.replace("{number}", 5 * Math.floor(seconds / 5)));
    else say(words.minutes.replace("{number}", Math.floor(seconds / 60)));
  }

  // One at a time: what comes meanwhile is sent when this one is answered.
  async function save() {
    clearTimeout(timer);
    timer = 0;
    if (running) return running;
    if (stopped || changes === kept) return undefined;
    running = send(changes);
    await running;
    running = null;
    if (changes > kept && !stopped && !leaving) timer ||= setTimeout(save, PAUSE);
    return undefined;
  }

  async function send(sent) {
    sending = new AbortController();
    const options = { method: "POST", body: body(), redirect: "error", signal: sending.signal };
    try {
      const answer = await fetch(form.dataset.autosave, options);
      if (answer.status === 403) {
        stopped = barred = true;
        say("");
        document.dispatchEvent(new Event("dpgov:outdated"));
        return;
      }
      const found = await answer.json();
      if (answer.ok) {
        kept = sent;
        failed = mine = false;
        seen.value = found.seen;
        savedAt = Date.now();
        age();
      } else {
        stopped = answer.status === 409;
        failed = !stopped;
        say(found.refused, true);
      }
    } catch {
      failed = !leaving;
      if (!leaving) say(words.failed, true);
    }
  }

  form.addEventListener("input", () => {
    changes += 1;
    timer ||= setTimeout(save, PAUSE);
  });
  // What is sent now holds everything: nothing older may arrive after it.
  form.addEventListener("submit", () => {
    leaving = true;
    clearTimeout(timer);
    sending?.abort();
  });
  // Another page waits until this one is kept.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.target || link.dataset.opens || link.origin !== location.origin || changes === kept) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    for (let tries = 0; tries < 3 && changes !== kept && !stopped; tries += 1) await save();
    location.assign(link.href);
  });
  window.addEventListener("beforeunload", (event) => {
    if (leaving || changes === kept || (stopped && !barred)) return;
    if (barred || failed) {
      event.preventDefault();
      return;
    }
    mine ||= running !== null;
    if (!navigator.sendBeacon(form.dataset.autosave, body())) event.preventDefault();
  });
  window.addEventListener("pageshow", (event) => {
    leaving = false;
    mine ||= event.persisted;
  });
  setInterval(age, 5000);
})();
