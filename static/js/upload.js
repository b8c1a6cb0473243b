// A progress bar for the upload form. Without this file the form works as any other.
"use strict";
(() => {
  const form = document.getElementById("upload-form");
  if (!form) return;

  function listen() {
    const current = document.getElementById("upload-form");
    current.addEventListener("submit", (event) => {
      const file = current.elements.file.files[0];
      if (!file) return;
      event.preventDefault();
      if (current.dataset.sent) return;
      if (file.size > Number(current.dataset.largestBytes)) {
        event.stopPropagation(); // so that the form does not count as sent
        tell("This file is larger than what can be uploaded. Split or shorten it.");
        return;
      }
      send(current);
    });
  }

  function release(current) {
    delete current.dataset.sent;
    current.querySelectorAll("[aria-disabled]").forEach((b) => b.removeAttribute("aria-disabled"));
  }

  function tell(message) {
    document.getElementById("upload-progress").hidden = false;
    document.getElementById("upload-status").textContent = message;
  }

  function progress(event) {
    if (!event.lengthComputable) return;
    const percent = Math.floor((100 * event.loaded) / event.total);
    document.getElementById("upload-bar").value = percent;
    tell(percent < 100 ? `${percent} % sent` : "Sent. The file is being checked …");
  }

  function send(current) {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", progress);
    request.addEventListener("load", () => arrived(request));
    request.addEventListener("error", () => {
      tell("The connection broke. Nothing was stored; try again.");
      release(current);
    });
    request.open("POST", window.location.href);
    tell("0 % sent");
    request.send(new FormData(current));
  }

  // After a redirect the file is taken; otherwise the same page comes back with the reason.
  function arrived(request) {
    if (new URL(request.responseURL).pathname !== window.location.pathname) {
      window.location.assign(request.responseURL);
      return;
    }
    const page = document.createElement("template");
    page.innerHTML = request.responseText;
    const answer = page.content.getElementById("upload-form");
    if (!answer) {
      tell("The server did not take the file. Reload the page and try again.");
      release(document.getElementById("upload-form"));
      return;
    }
    document.getElementById("upload-form").replaceWith(document.adoptNode(answer));
    listen();
    document.getElementById("id_file").focus();
  }

  listen();
})();
