// The grid of columns: shows in each row what its type needs, and does to many rows what a person
// would do to one. Without this file every cell is there and is filled in by hand.
"use strict";
(() => {
  const grid = document.getElementById("column-grid");
  if (!grid) return;
  const form = grid.closest("form");
  const rows = [...grid.querySelectorAll("tr[data-column]")];
  const by = (id) => document.getElementById(id);
  const FIELDS = ["kind", "lower", "upper", "step", "categories", "missing", "impute"];
  const NEEDED = { number: ["lower", "upper", "step"], date: ["lower", "upper"], category: ["categories"] };
  const cellOf = (row, name) => row.querySelector(`[name$="-${name}"]`);
  const nameOf = (input) => input.name.replace(/^column-\d+-/, "");
  const pick = (row) => row.querySelector("[data-pick]");
  const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

  // What a row's type has no use for is neither shown nor sent.
  function arrange(row) {
    const kind = cellOf(row, "kind").value;
    for (const cell of row.querySelectorAll("[data-for]")) {
      off(cell, !cell.dataset.for.split(" ").includes(kind));
    }
    const rule = cellOf(row, "missing");
    for (const part of row.querySelectorAll("[data-rule]")) {
      off(part, rule.disabled || rule.value !== part.dataset.rule);
    }
    row.classList.toggle("is-left-out", !kind);
    tell(row);
  }
  function off(cell, isOff) {
    cell.toggleAttribute("data-off", isOff);
    for (const input of cell.querySelectorAll("input, select, textarea")) input.disabled = isOff;
  }

  // A list of values in one line, while nobody writes in it.
  function tell(row) {
    const area = cellOf(row, "categories");
    let told = area.nextElementSibling;
    if (!told?.matches(".grid-told")) {
      told = document.createElement("span");
      told.className = "grid-told";
      told.setAttribute("aria-hidden", "true");
      area.after(told);
    }
    const values = lines(area.value);
    told.replaceChildren();
    if (area.disabled || values.length < 2) return;
    const count = document.createElement("b");
    count.textContent = ` ${grid.dataset.values.replace("{number}", values.length)}`;
    told.append(values.slice(0, 12).join(" · "), count);
  }

  // A list on one line is split when its writer says so.
  const MARKS = [",", ";", "|", "\t"];
  function partsOf(text) {
    const line = text.trim();
    const found = MARKS.filter((mark) => line.includes(mark));
    if (!found.length || line.includes("\n")) return [];
    const often = (mark) => line.split(mark).length;
    const mark = found.reduce((best, each) => (often(each) > often(best) ? each : best));
    return [...new Set(line.split(mark).map((part) => part.trim()).filter(Boolean))];
  }
  function offer(area) {
    const parts = partsOf(area.value);
    let button = area.parentElement.querySelector("[data-split]");
    if (!button && parts.length) {
      button = document.createElement("button");
      button.type = "button";
      button.dataset.split = "";
      button.className = "btn btn-sm btn-link p-0";
      area.parentElement.append(button);
    }
    if (!button) return;
    button.hidden = !parts.length;
    button.textContent = grid.dataset.split.replace("{number}", parts.length);
  }
  grid.addEventListener("change", (event) => {
    if (event.target.matches("textarea[name$='-categories']")) offer(event.target);
  });
  grid.addEventListener("click", (event) => {
    const button = event.target.closest("[data-split]");
    if (!button || button === grid) return;
    event.preventDefault();
    const row = button.closest("tr");
    set(row, { categories: partsOf(cellOf(row, "categories").value).join("\n") });
    offer(cellOf(row, "categories"));
    changed();
  });

  function changed() {
    form.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function set(row, values) {
    for (const [name, value] of Object.entries(values)) {
      const cell = cellOf(row, name);
      if (cell) cell.value = value;
    }
    arrange(row);
  }

  // Which rows are shown, and which are selected.
  const isShown = (row) => !row.hidden;
  const selected = () => rows.filter((row) => pick(row).checked && isShown(row));
  function isIncomplete(row) {
    if (row.querySelector(".invalid-feedback")) return true;
    const needed = NEEDED[cellOf(row, "kind").value] || [];
    return needed.some((name) => !cellOf(row, name).value.trim());
  }
  const WANTED = {
    "": () => true,
    used: (row) => cellOf(row, "kind").value !== "",
    unused: (row) => cellOf(row, "kind").value === "",
    incomplete: isIncomplete,
  };
  function show() {
    const words = by("grid-filter").value.trim().toLowerCase();
    const wanted = WANTED[by("grid-show").value];
    for (const row of rows) {
      row.hidden = !(row.dataset.column.toLowerCase().includes(words) && wanted(row));
    }
    count();
  }
  function count() {
    const chosen = selected().length;
    const shown = rows.filter(isShown).length;
    const text = chosen || shown === rows.length ? grid.dataset.chosen : grid.dataset.shown;
    const told = text.replace("{number}", chosen || (text === grid.dataset.chosen ? 0 : shown));
    by("grid-count").textContent = told.replace("{all}", rows.length);
    for (const row of rows) row.classList.toggle("is-picked", pick(row).checked);
    by("grid-all").checked = chosen > 0 && chosen === shown;
    by("grid-all").indeterminate = chosen > 0 && chosen < shown;
    by("grid-apply").setAttribute("aria-disabled", String(chosen === 0));
  }

  let last = null;
  grid.addEventListener("click", (event) => {
    const box = event.target.closest("[data-pick]");
    if (!box) return;
    const row = box.closest("tr");
    if (event.shiftKey && last) {
      const shown = rows.filter(isShown);
      const [from, to] = [shown.indexOf(last), shown.indexOf(row)].sort((a, b) => a - b);
      if (from >= 0) for (const each of shown.slice(from, to + 1)) pick(each).checked = box.checked;
    }
    last = row;
    count();
  });
  by("grid-all").addEventListener("change", (event) => {
    for (const row of rows.filter(isShown)) pick(row).checked = event.target.checked;
    count();
  });
  by("grid-filter").addEventListener("input", (event) => { event.stopPropagation(); show(); });
  by("grid-show").addEventListener("change", (event) => { event.stopPropagation(); show(); });
  by("grid-apply").addEventListener("click", () => {
    const { value, dataset } = by("grid-preset").selectedOptions[0];
    const chosen = value === "fill" ? dataset : { [value]: dataset[value] };
    for (const row of selected()) set(row, { ...chosen });
    changed();
  });

  // Keys: along a column of the grid, and into all selected rows.
  function move(input, by_) {
    const shown = rows.filter(isShown);
    const next = shown[shown.indexOf(input.closest("tr")) + by_];
    const cell = next && (input.matches("[data-pick]") ? pick(next) : cellOf(next, nameOf(input)));
    if (!cell || cell.disabled) return next ? move(next.querySelector("select"), 0) : undefined;
    cell.focus();
    if (cell.select && cell.type === "text") cell.select();
  }
  grid.addEventListener("keydown", (event) => {
    const input = event.target;
    if (!input.closest("tbody") || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && input.name) {
      for (const row of selected()) set(row, { [nameOf(input)]: input.value });
      changed();
    } else if (event.key === "Enter" && !input.matches("textarea")) {
      move(input, event.shiftKey ? -1 : 1);
    } else if (/^Arrow(Up|Down)$/.test(event.key) && input.matches("input")) {
      move(input, event.key === "ArrowUp" ? -1 : 1);
    } else return;
    event.preventDefault();
  });

  // Cells of a spreadsheet fill this one and those below and beside it.
  grid.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n$/, "");
    const input = event.target;
    const isList = input.matches("textarea") && !text.includes("\t");
    if (!input.closest("tbody") || !input.name || isList || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    if (holdsNames(text)) {
      by("grid-pasted").value = text;
      grid.querySelector("button[value='paste']").click();
      return;
    }
    const shown = rows.filter(isShown);
    const top = shown.indexOf(input.closest("tr"));
    const left = FIELDS.indexOf(nameOf(input));
    text.split("\n").forEach((line, down) => {
      const row = shown[top + down];
      if (!row) return;
      const cells = line.split("\t").map((each) => each.trim());
      set(row, Object.fromEntries(cells.map((each, at) => [FIELDS[left + at], spelt(row, FIELDS[left + at], each)]).filter(([name]) => name)));
    });
    changed();
  });
  // Whole rows, with the names of columns first, go where their names say.
  const names = new Set(["column", ...rows.map((row) => row.dataset.column)]);
  const holdsNames = (text) => text.split("\n").every((line) => names.has(line.split("\t")[0].trim()));
  // A list takes a name for its entry.
  function spelt(row, name, text) {
    const cell = name && cellOf(row, name);
    if (!cell?.matches("select")) return text;
    const same = (option) => [option.value, option.text].some((each) => each.toLowerCase() === text.toLowerCase());
    return [...cell.options].find(same)?.value ?? cell.value;
  }

  grid.addEventListener("input", (event) => {
    const row = event.target.closest("tr[data-column]");
    if (row) arrange(row);
  });
  for (const part of grid.querySelectorAll("[data-script]")) part.hidden = false;
  rows.forEach(arrange);
  count();
})();
