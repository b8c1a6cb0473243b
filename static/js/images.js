// A chart as a file for slides: PNG or SVG, in the colours of the page, with its question as title.
// Without scripts the buttons are hidden; the page can be printed as ever.
"use strict";
(() => {
  const WIDTH = 1200;
  const SHARP = 2;
  const show = () => {
    for (const button of document.querySelectorAll("[data-image]")) button.hidden = false;
  };
  const inert = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

  // Plotly would load the picture from a blob, which the page's policy does not let in; data it does.
  const painted = async (svg, height) => {
    const picture = new Image();
    picture.src = svg;
    await picture.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [SHARP * WIDTH, SHARP * height];
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-image]");
    const chart = button && document.getElementById(button.dataset.chart);
    if (!chart?.dataset.drawn) return;
    const card = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
    const layout = {
      ...chart.layout, paper_bgcolor: card, autosize: false,
      title: { text: inert(button.dataset.title), font: { size: 18 }, x: 0.02, xanchor: "left" },
      margin: { ...chart.layout.margin, t: 84 },
    };
    const height = Math.max(500, Math.round(chart.clientHeight * 1.2));
    const svg = await window.Plotly.toImage({ data: chart.data, layout }, { format: "svg", width: WIDTH, height });
    const link = document.createElement("a");
    link.href = button.dataset.image === "png" ? await painted(svg, height) : svg;
    link.download = `${button.dataset.name}.${button.dataset.image}`;
    link.click();
  });

  document.addEventListener("htmx:after:swap", show);
  show();
})();
