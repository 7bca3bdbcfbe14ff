// A click on the sentence selects all of it; the button is there only where it can work.
(() => {
  const button = document.getElementById("copy");
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById("sentence").textContent);
      button.textContent = "Copied";
    } catch {
      button.hidden = true; // not allowed here, as in some notebooks
    }
  });
})();
