// Looks numbers up; every one of them was computed in Python.
for (const slider of document.querySelectorAll("input[type=range]")) {
  const steps = JSON.parse(document.getElementById(`${slider.id}-steps`).textContent);
  const show = () => {
    const step = steps[slider.value];
    for (const [name, words] of Object.entries(step.text)) {
      for (const place of document.querySelectorAll(`[data-text="${name}"]`)) place.textContent = words;
    }
    for (const [name, [x, y]] of Object.entries(step.marker)) {
      for (const marker of document.querySelectorAll(`[data-marker="${name}"]`)) {
        marker.setAttribute("transform", `translate(${x} ${marker.tagName === "line" ? 0 : y})`);
      }
    }
    slider.setAttribute("aria-valuetext", step.text[slider.dataset.value]);
    if (!step.dots) return;
    for (const square of document.querySelectorAll("g[data-dots]")) {
      const size = 120 / step.dots.across;
      [...square.children].forEach((dot, i) => {
        dot.setAttribute("class", step.dots[square.dataset.dots][i]);
        dot.setAttribute("cx", size * (i % step.dots.across + 0.5));
        dot.setAttribute("cy", size * (Math.floor(i / step.dots.across) + 0.5));
        dot.setAttribute("r", 0.37 * size);
      });
    }
    for (const place of document.querySelectorAll("[data-dots]:not(g)")) {
      place.textContent = step.dots[place.dataset.dots];
    }
  };
  slider.addEventListener("input", show);
  show(); // a browser may have kept the position from before a reload
}
// The button is there only where it can work.
(() => {
  const button = document.getElementById("copy");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.sentence);
      button.textContent = "Copied";
    } catch {
      button.hidden = true; // not allowed here, as in some notebooks
    }
  });
})();
