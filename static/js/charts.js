// Draws every `.chart` from the figure beside it (a json_script block) in the colours of the page.
// A trace or shape names its colour by role (trace.meta.role, shape.name); the stylesheet says what
// a role looks like, so that a change of theme only recolours. Plotly is fetched when first needed.
"use strict";
(() => {
  const source = document.currentScript.dataset.plotly;
  const language = document.documentElement.lang;
  const config = { displayModeBar: false, responsive: true, doubleClick: "reset", scrollZoom: false, locale: language };
  const fewMarks = 12;
  let library = null;

  function plotly() {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = () => {
        if (!language.startsWith("en")) window.Plotly.register(spoken());
        resolve(window.Plotly);
      };
      script.onerror = reject;
      document.head.append(script);
    });
    return library;
  }

  // Days, months and thousands as the page has them; the decimal point is the same in every language.
  function spoken() {
    const named = (options, dates) => dates.map((date) => (
      new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" }).format(date)
    ));
    const days = [...Array(7).keys()].map((day) => Date.UTC(2023, 0, 1 + day)); // a Sunday and on
    const months = [...Array(12).keys()].map((month) => Date.UTC(2023, month, 1));
    const format = {
      days: named({ weekday: "long" }, days), shortDays: named({ weekday: "short" }, days),
      months: named({ month: "long" }, months), shortMonths: named({ month: "short" }, months),
      date: "%d.%m.%Y", decimal: ".", thousands: "\u202f",
    };
    return { moduleType: "locale", name: language, dictionary: {}, format };
  }

  function palette() {
    const style = getComputedStyle(document.documentElement);
    return (name) => style.getPropertyValue(`--${name}`).trim();
  }

  function paintTrace(trace, index, colour) {
    const paint = colour(`chart-${trace.meta?.role ?? (index % 8) + 1}`);
    const painted = { ...trace };
    if (trace.type === "bar") {
      painted.marker = { ...trace.marker, color: paint, line: { width: 0 } };
      if (trace.text) {
        painted.insidetextfont = { color: colour(trace.meta?.role === "grid" ? "ink" : "card") };
        painted.cliponaxis = false; // a value beside its bar may stand beyond the last mark of the axis
      }
      if (trace.error_y) painted.error_y = { ...trace.error_y, color: colour("ink"), thickness: 1.5 };
      if (trace.error_x) painted.error_x = { ...trace.error_x, color: colour("ink"), thickness: 1.5 };
    } else {
      painted.line = { ...trace.line, color: paint };
      painted.marker = { ...trace.marker, color: paint };
      if (trace.error_y) painted.error_y = { ...trace.error_y, color: paint, thickness: 2 };
      if (trace.error_x) painted.error_x = { ...trace.error_x, color: paint, thickness: 2 };
      if (trace.fill) painted.fillcolor = `${paint}2b`; // the palette is in six-digit hex
    }
    return painted;
  }

  // Plotly breaks no title by itself: one that is wider than the chart would be cut off at both ends.
  const letter = 9;
  function inLines(title, wide) {
    if (!title?.text || title.text.includes("<br>")) return title;
    const longest = Math.max(12, Math.floor(wide / letter));
    const lines = [""];
    for (const word of title.text.split(" ")) {
      const line = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
      if (lines.at(-1) && line.length > longest) lines.push(word);
      else lines[lines.length - 1] = line;
    }
    return { ...title, text: lines.join("<br>") };
  }

  function paintAxis(axis, colour, zooms, wide) {
    return {
      // Long names lean to the left, where there is room: leaning to the right the last would be left out.
      automargin: true, zeroline: false, autotickangles: [0, -30, -90], ...axis, title: inLines(axis.title, wide), fixedrange: !zooms,
      gridcolor: colour("chart-grid"), linecolor: colour("line"), tickcolor: colour("line"),
    };
  }

  // Stretches of time, and whatever has more marks along than one takes in at a glance, can be looked at
  // closer; double click shows all again. What lies on its side has its marks down, which a page scrolls.
  function canZoom(traces, layout) {
    if (!matchMedia("(pointer: fine)").matches) return false;
    const along = traces.filter((trace) => trace.orientation !== "h").map((trace) => trace.x?.length ?? 0);
    return layout.xaxis?.type === "date" || Math.max(0, ...along) > fewMarks;
  }

  // On a phone a legend of many would stand in one column, higher than the chart, with a bar to scroll it:
  // two columns of names on two lines have room. The table beside the chart has the names as they are.
  const narrow = 480;
  const shortName = 13;
  const fewNames = 3;
  const inLegend = (traces) => traces.filter((trace) => trace.name && trace.showlegend !== false).length;
  const isCrowded = (traces, element) => element.clientWidth < narrow && inLegend(traces) > fewNames;
  const twoColumns = { font: { size: 10 }, xref: "container", entrywidth: 0.5, entrywidthmode: "fraction" };

  function shortened(trace) {
    const name = trace.name ?? "";
    if (name.length <= shortName) return trace;
    const space = name.lastIndexOf(" ", shortName);
    const first = space > 0 ? `${name.slice(0, space)}<br>` : "";
    const rest = name.slice(space > 0 ? space + 1 : 0);
    return { ...trace, name: first + (rest.length > shortName ? `${rest.slice(0, shortName - 1)}…` : rest) };
  }

  const keyOfLegend = 56;
  function wrapped(trace, element) {
    const lines = trace.name && inLines({ text: trace.name }, element.clientWidth - keyOfLegend).text;
    return lines ? { ...trace, name: lines } : trace;
  }

  // On a phone names beside bars stand on two lines, and values that do not fit into bars have room behind them:
  // Plotly reckons with no text when it chooses where an axis ends.
  function makeRoom(painted, traces) {
    const texts = traces.filter((trace) => trace.orientation === "h" && trace.text && trace.type === "bar");
    if (!texts.length || painted.xaxis.range) return;
    const { ticktext } = painted.yaxis;
    if (ticktext) painted.yaxis = { ...painted.yaxis, ticktext: ticktext.map((name) => inLines({ text: name }, 16 * letter).text) };
    const most = Math.max(...texts.flatMap((trace) => trace.x));
    painted.xaxis = { ...painted.xaxis, range: [0, 1.25 * most], nticks: 4 };
  }

  function paintLayout(layout, traces, colour, element) {
    const series = traces.length;
    const zooms = canZoom(traces, layout);
    const painted = {
      // Room for the legend, which hangs from the top however the chart is resized.
      margin: { l: 48, r: 16, t: series > 1 && layout.showlegend !== false ? 44 : 12, b: 40 }, hovermode: "closest", dragmode: zooms ? "zoom" : false, bargap: 0.3,
      ...layout,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: colour("font"), size: 13, color: colour("ink") },
      legend: { orientation: "h", x: 0, yref: "container", y: 1, yanchor: "top", bgcolor: "rgba(0,0,0,0)", ...layout.legend, ...(isCrowded(traces, element) ? twoColumns : {}) },
      hoverlabel: { bgcolor: colour("card"), bordercolor: colour("line"), font: { color: colour("ink") } },
    };
    for (const key of Object.keys(painted).filter((name) => /^[xy]axis/.test(name))) {
      painted[key] = paintAxis(painted[key], colour, zooms && key.startsWith("x"), key.startsWith("x") ? element.clientWidth - 64 : element.clientHeight - 96);
    }
    if (element.clientWidth < narrow) makeRoom(painted, traces);
    painted.shapes = (layout.shapes ?? []).map((shape) => (
      { ...shape, line: { ...shape.line, color: colour(`chart-${shape.name ?? "rest"}`) } }
    ));
    painted.annotations = (layout.annotations ?? []).map((note) => (
      { showarrow: false, ...note, font: { ...note.font, color: colour(note.name ? `chart-${note.name}` : "ink") } }
    ));
    return painted;
  }

  // Squares of days stand beside each other on a phone as well.
  function fitted(trace, element) {
    const { symbol, size } = trace.marker ?? {};
    if (symbol !== "square" || element.clientWidth >= 640) return trace;
    return { ...trace, marker: { ...trace.marker, size: Math.max(4, (size * element.clientWidth) / 640) } };
  }

  function draw(element, Plotly) {
    const block = document.getElementById(element.dataset.figure);
    if (!block || !element.isConnected) return;
    const figure = JSON.parse(block.textContent);
    const colour = palette();
    const painted = figure.data.map((trace, index) => fitted(paintTrace(trace, index, colour), element));
    const traces = painted.map(isCrowded(painted, element) ? shortened : (trace) => wrapped(trace, element));
    Plotly.react(element, traces, paintLayout(figure.layout ?? {}, traces, colour, element), config).then(() => {
      if (!element.dataset.drawn) follow(element);
      element.dataset.drawn = document.documentElement.dataset.bsTheme;
    });
  }

  // A mark that knows where it leads (trace.meta.links) is followed like the link in the table beside it.
  // Where one box tells of all marks along, it is the one below the pointer: of bars on top of each other
  // the one whose end is the next above, else the nearest.
  function follow(element) {
    const href = (point) => point.data.meta?.links?.[point.pointNumber] ?? "";
    const leadsTo = ({ points, event }) => {
      const { left, top } = element.getBoundingClientRect();
      const marks = points.map((point) => {
        const isBar = point.data.type === "bar" && point.data.orientation !== "h";
        const below = event.clientY - top - point.yPixel;
        const beside = Math.round(Math.abs(event.clientX - left - point.xPixel));
        return { beside, away: Math.abs(below) + (isBar && below < 0 ? 1e6 : 0), isBar, address: href(point) };
      });
      marks.sort((one, other) => one.beside - other.beside || one.away - other.away);
      if (marks[0]?.address || marks[0]?.isBar) return marks[0].address;
      return marks.find(({ address }) => address)?.address ?? "";
    };
    element.on("plotly_click", (found) => {
      const address = leadsTo(found);
      if (/^[?/](?!\/)/.test(address)) window.location.assign(address);
    });
    element.on("plotly_hover", (found) => element.classList.toggle("leads", leadsTo(found) !== ""));
  }

  function drawAll(root) {
    const charts = [...root.querySelectorAll(".chart[data-figure]")];
    if (root.matches?.(".chart[data-figure]")) charts.push(root);
    if (!charts.length) return;
    plotly().then((Plotly) => charts.forEach((chart) => draw(chart, Plotly)));
  }

  drawAll(document);
  document.addEventListener("htmx:after:process", (event) => {
    if (event.target instanceof Element) drawAll(event.target);
  });
  document.addEventListener("dpgov:theme", () => drawAll(document));
  document.addEventListener("dpgov:figure", (event) => drawAll(event.target));
  // Paper is narrower than most windows: drawn anew, a chart is not cut off.
  const onPaper = (change) => document.querySelectorAll(".chart[data-drawn]").forEach(
    (chart) => window.Plotly.relayout(chart, change),
  );
  window.addEventListener("beforeprint", () => onPaper({ autosize: false, width: 640 }));
  window.addEventListener("afterprint", () => onPaper({ autosize: true, width: null }));
  // A chart inside a closed <details> has no size until it is opened.
  document.addEventListener("toggle", (event) => {
    if (event.target.open) drawAll(event.target);
  }, true);
})();
