// A slide in a viewer of OpenSeadragon, bare and with a map over it, moved along one path. page.mjs
// opens this page and chooses the file.
import { load } from "/wasm/npm/dist/index.js";
import { overlay, tileSource } from "/wasm/npm/dist/openseadragon.js";

/** Patches of the map, in columns and rows. */
const [COLUMNS, ROWS] = [400, 250];
/** Frames of the path. */
const STEPS = 80;

let viewer, map, boxes;

/** Shows the chosen slide, and returns when its first view is complete. */
window.open = async () => {
  const [file] = document.querySelector("input").files;
  document.querySelector("input").remove();
  const engine = await load();
  const slide = await engine.slide(file, { name: file.name });
  viewer = OpenSeadragon({
    element: document.getElementById("viewer"),
    tileSources: tileSource(slide),
    showNavigationControl: false,
  });
  await new Promise((done) => viewer.addOnceHandler("open", done));
  const { width, height } = slide.levels[0];
  const side = Math.floor(Math.min(width / COLUMNS, height / ROWS));
  boxes = Array.from({ length: COLUMNS * ROWS }, (_, i) => {
    const [column, row] = [i % COLUMNS, Math.floor(i / COLUMNS)];
    return { x: column * side, y: row * side, width: side, height: side };
  });
  await settled();
};

/** Lays a map over the slide, or takes it away if `look` is null. */
window.lay = async (look) => {
  map?.destroy();
  map = look && overlay(viewer, { boxes, explanation, ...look });
  await settled();
};

/** Signed scores: every patch is evidence, in bands of both signs. */
const scores = Float64Array.from({ length: COLUMNS * ROWS }, (_, i) => {
  const [column, row] = [i % COLUMNS, Math.floor(i / COLUMNS)];
  return Math.sin(column / 9) * Math.cos(row / 7) + 0.05 * ((i % 7) - 3.1);
});
const explanation = {
  class: 0,
  scores,
  neutral: 0,
  evident: scores.map(() => 1),
};

/** Moves along the path, and returns the milliseconds of each frame. */
window.frames = async () => {
  const { viewport } = viewer;
  const home = viewport.getHomeZoom();
  const most = viewport.getMaxZoom();
  const taken = [];
  let before = await frame();
  for (let i = 0; i < STEPS; i++) {
    // In and out again, along a circle about the middle of the slide.
    const depth = (1 - Math.cos((2 * Math.PI * i) / STEPS)) / 2;
    const angle = (4 * Math.PI * i) / STEPS;
    const zoom = home * (most / home) ** depth;
    const far = 0.15 / (zoom / home) ** 0.5;
    const { x, y } = viewport.getHomeBounds().getCenter();
    viewport.zoomTo(zoom, undefined, true);
    viewport.panTo(
      new OpenSeadragon.Point(
        x + far * Math.cos(angle),
        y + far * Math.sin(angle),
      ),
      true,
    );
    const now = await frame();
    taken.push(now - before);
    before = now;
  }
  viewport.goHome(true);
  await settled();
  return taken;
};

const frame = () => new Promise(requestAnimationFrame);

/** Waits until all tiles in sight are drawn. */
async function settled() {
  await frame();
  await new Promise((done) => viewer.whenFullyLoaded(done));
  for (let i = 0; i < 10; i++) await frame();
}
