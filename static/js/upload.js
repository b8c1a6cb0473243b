// A progress bar for the upload form, which holds its words. Without this file it works as any other.
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
        tell(current.dataset.tooLarge);
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
    const { sending, checking } = document.getElementById("upload-form").dataset;
    tell(percent < 100 ? sending.replace("{percent}", percent) : checking);
  }

  function send(current) {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", progress);
    request.addEventListener("load", () => arrived(request));
    request.addEventListener("error", () => {
      tell(current.dataset.broken);
      release(current);
    });
    request.open("POST", window.location.href);
    tell(current.dataset.sending.replace("{percent}", 0));
    request.send(new FormData(current));
  }

  // After a redirect the file is taken; otherwise the same page comes back with the reason.
  function arrived(request) {
    if (new URL(request.responseURL).pathname !== window.location.pathname) {
      document.getElementById("upload-form").dispatchEvent(new Event("dpgov:sent", { bubbles: true }));
      window.location.assign(request.responseURL);
      return;
    }
    const page = document.createElement("template");
    page.innerHTML = request.responseText;
    const answer = page.content.getElementById("upload-form");
    if (!answer) {
      const current = document.getElementById("upload-form");
      tell(reasonIn(page, request.status) || current.dataset.notTaken);
      release(current);
      return;
    }
    document.getElementById("upload-form").replaceWith(document.adoptNode(answer));
    listen();
    document.getElementById("id_file").focus();
  }

  // What a page that refuses says under its heading; that of an error of the server knows no reason.
  function reasonIn(page, status) {
    return status === 500 ? "" : page.content.querySelector(".empty p")?.textContent.trim();
  }

  listen();
})();
