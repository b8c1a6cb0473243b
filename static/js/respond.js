// Randomises one answer of a survey in this browser, and sends what comes of it: nothing else leaves.
// Thresholds are whole numbers of 2^32 draws, compared with 32 random bits each: no fractions, and no
// draw is repeated. A report is kept before it is sent, so that a reload sends the same one again.
"use strict";
(() => {
  // `draws` are numbers of 32 random bits: always as many as `needed`, whatever the answer.
  const needed = (survey) => (survey.mechanism === "randomised_response" ? 1 : survey.answers);

  function randomise(survey, answer, draws) {
    if (!Number.isInteger(answer) || answer < 0 || answer >= survey.answers) throw new RangeError("answer");
    if (survey.mechanism === "randomised_response") {
      const beyond = draws[0] - survey.kept; // below zero: the truth; else which of the others
      const other = (beyond - (beyond % survey.other)) / survey.other;
      const place = beyond < 0 ? answer : other + (other >= answer ? 1 : 0);
      return String(place).padStart(survey.size, "0");
    }
    let bits = "";
    for (let place = 0; place < survey.answers; place += 1) {
      bits += draws[place] < (place === answer ? survey.kept : survey.other) ? "1" : "0";
    }
    return bits;
  }

  const drawn = (survey, answer) => randomise(survey, answer, crypto.getRandomValues(new Uint32Array(needed(survey))));
  const ownToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  globalThis.dpgovSurvey = Object.freeze({ randomise, drawn });

  // Another language is the same page: its token comes along, and is in no address that is sent.
  const language = document.querySelector("form.language-switch");
  language?.addEventListener("submit", () => {
    language.action = language.action.split("#")[0] + location.hash;
  });

  const form = document.querySelector("form[data-survey]");
  if (!form) return;
  const survey = JSON.parse(document.getElementById("survey-rule").textContent);
  const fields = form.querySelector("fieldset");
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const token = location.hash.slice(1); // behind "#": it is never part of a request's address
  const key = `dpgov-survey-${survey.code}-${survey.by_token ? token : "open"}`;

  function say(name, text) {
    for (const each of document.querySelectorAll("[data-said]")) each.hidden = each.dataset.said !== name;
    const said = document.querySelector(`[data-said="${name}"] [data-text]`);
    if (said && text) said.textContent = text;
  }

  function named(report) {
    const answers = [...form.querySelectorAll("[data-answer]")].map((label) => label.textContent.trim());
    if (survey.mechanism === "randomised_response") return [answers[Number(report)]];
    return answers.filter((_, place) => report[place] === "1");
  }

  function show(kept) {
    const list = part("sent").querySelector("ul");
    const words = named(kept.report);
    list.replaceChildren(...(words.length ? words : [list.dataset.none]).map((word) => {
      const item = document.createElement("li");
      item.textContent = word;
      return item;
    }));
    part("sent").querySelector("code").textContent = kept.report;
    form.hidden = true;
    part("sent").hidden = false;
    part("again").hidden = kept.sent;
  }

  const keep = (kept) => localStorage.setItem(key, JSON.stringify(kept));

  // `tried` counts the sends that nothing is known of: each may have arrived, so the same is sent again, never another.
  async function sendOnce() {
    const { kept } = stored();
    if (!kept) return;
    if (kept.sent) return tell(kept); // by another tab, while this one waited for its turn
    show(kept);
    part("again").hidden = true;
    try {
      keep({ ...kept, tried: Number(kept.tried) + 1 });
      const answer = await fetch(survey.address, {
        method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token: kept.token, report: kept.report }),
      });
      if (answer.status >= 500) throw new Error("unknown");
      const body = answer.ok ? {} : await answer.json();
      const error = body.errors?.[0];
      const now = stored().kept ?? kept; // where tabs know no turns, another one may have kept more meanwhile
      const others = Number(now.tried) - 1;
      const sent = now.sent || answer.ok || (error?.code === "token_spent" && others > 0); // not spent by this try
      const after = { ...now, tried: others, sent }; // what was drawn stays: another draw would tell more
      keep(after);
      show(after);
      say(sent ? "done" : "refused", error?.detail);
    } catch {
      show(kept);
      say("away");
    }
  }

  function stored() {
    try {
      return { works: true, kept: JSON.parse(localStorage.getItem(key)) };
    } catch {
      return { works: false, kept: null };
    }
  }

  function tell(kept) {
    form.reset();
    show(kept);
    say(kept.sent ? "done" : kept.tried ? "away" : "");
  }

  // One tab at a time: only where none has drawn, since what another one kept is told, and never drawn anew; and only
  // where none is sending, since what it hears may be that this report has arrived.
  const alone = (what, work) => (navigator.locks ? navigator.locks.request(what, work) : work());
  const send = () => alone(`${key}-sending`, sendOnce);

  function drawOnce(answer) {
    const { kept } = stored();
    if (kept) return tell(kept);
    const own = survey.by_token ? token : ownToken();
    const fresh = { report: drawn(survey, answer), token: own, sent: false, tried: 0 };
    form.reset(); // the true answer is nowhere any more
    try {
      keep(fresh);
    } catch {
      return say("nothing-kept");
    }
    send(); // not waited for: another tab need not
  }

  const { works, kept } = stored();
  if (!works) say("nothing-kept");
  else if (kept) tell(kept);
  else if (survey.by_token && !/^[0-9a-f]{32}$/.test(token)) say("no-token");
  else fields.disabled = false;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input:checked");
    if (!chosen || fields.disabled) return;
    fields.disabled = true;
    const answer = Number(chosen.value);
    alone(key, () => drawOnce(answer));
  });
  addEventListener("storage", (event) => {
    const { kept } = stored();
    if (event.key === key && kept) tell(kept);
  });
  // A whole link that is pasted over a bare one changes this part alone. A place on this page is none.
  addEventListener("hashchange", () => document.getElementById(location.hash.slice(1)) || location.reload());
  part("again").addEventListener("click", send);
})();
