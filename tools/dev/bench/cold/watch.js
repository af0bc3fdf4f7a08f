// In a page whose cold start is measured, before anything of it: tells the host when the first result was on the screen.

/** A cell with a class shows a score; a bag by itself has none, and the stored picture of before is none of it. */
function explained() {
  const cells = document.querySelector("canvas[data-cells]")?.dataset.cells ?? "";
  return /\[\d+,\d/.test(cells) && !document.querySelector("img.poster");
}

/** Tells the host the milliseconds since the navigation began. */
function tell() {
  void fetch(`/drawn?ms=${performance.now()}`);
}

const observer = new MutationObserver(() => {
  if (!explained()) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(tell)); // a task that a frame asks for comes when that is painted
});
observer.observe(document, { subtree: true, childList: true, attributeFilter: ["data-cells"] });
addEventListener("predicted", tell);
