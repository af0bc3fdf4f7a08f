// A page with a viewer, for the tests.
import { load } from "../dist/index.js";
import { overlay, scaleBar, tileSource, withoutStyles } from "../dist/openseadragon.js";
import { Lattice, paint, paletteOf, PatchMap, reading, scoresOf } from "../dist/patches.js";

const { OpenSeadragon } = window;
withoutStyles();

/** Scores of patches in rows: they rise from left to right, and the middle is no evidence. */
function example(columns, rows, side) {
  const boxes = [];
  const scores = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      boxes.push({ x: column * side, y: row * side, width: side, height: side });
      scores.push((2 * column) / (columns - 1) - 1);
    }
  const evident = scores.map((s) => Math.abs(s) > 0.2);
  const scale = { own: 1, shared: 1 };
  return { boxes, explanation: { scores, neutral: 0, evident, scale, class: 0, unit: "log-odds" } };
}

window.viewing = {
  /** Opens a slide and shows it; resolves when all tiles in sight are drawn. */
  async open(bytes, name) {
    const engine = (window.engine ??= await load());
    const slide = await engine.slide(Uint8Array.from(bytes), { name });
    window.viewer?.destroy();
    const viewer = (window.viewer = OpenSeadragon({
      id: "frame",
      tileSources: tileSource(slide),
      showNavigationControl: false,
      animationTime: 0,
      drawer: "canvas",
    }));
    await new Promise((done, failed) => {
      viewer.addOnceHandler("open-failed", (event) => failed(new Error(event.message)));
      viewer.addOnceHandler("open", () => {
        const item = viewer.world.getItemAt(0);
        if (item.getFullyLoaded()) done();
        else item.addOnceHandler("fully-loaded-change", done);
      });
    });
    viewer.forceRedraw();
    await frame();
    return { levels: slide.levels.length, width: slide.levels[0].width };
  },

  /** The colour of the slide at a place of level 0, as the viewer shows it and as the engine reads it. */
  async pixel(x, y) {
    const { viewer } = window;
    const item = viewer.world.getItemAt(0);
    const at = viewer.viewport.viewportToViewerElementCoordinates(
      item.imageToViewportCoordinates(x + 0.5, y + 0.5),
    );
    return read(viewer.drawer.canvas, at);
  },

  /** Lays a map of patches over the slide; events are collected. */
  lay(columns, rows, side, options = {}) {
    window.events = [];
    window.map = overlay(window.viewer, {
      ...example(columns, rows, side),
      ...options,
      onHover: (instance) => window.events.push(["hover", instance]),
      onClick: (instance) => window.events.push(["click", instance]),
      onProblem: (cause) => window.events.push(["problem", cause.kind]),
    });
    return frame();
  },

  async show(changes) {
    window.map.show(changes);
    await frame();
  },

  /** Waits until the tiles are as they are to be shown. */
  async settle() {
    const { viewer } = window;
    await viewer.requestInvalidate();
    viewer.forceRedraw();
    await frame();
  },

  /** The colour of the map at a point of the viewer: red, green, blue, opacity. */
  colour(x, y) {
    const canvas = mapped();
    const [inner, outer] = [canvas, canvas.parentElement].map(
      (element) => new DOMMatrix(getComputedStyle(element).transform),
    );
    return read(canvas, outer.multiply(inner).inverse().transformPoint({ x, y }));
  },

  /** Waits until patches that were stretched while the viewer moved are drawn again. */
  async rest() {
    const scale = () => new DOMMatrix(getComputedStyle(mapped()).transform).a;
    while (window.viewing.kind() === "patches" && Math.abs(scale() - 1) > 1e-9) await frame();
  },

  /** Whether patches are drawn one by one or as one picture. */
  kind: () => (mapped().width === 100 ? "picture" : "patches"),

  /**
   * The largest difference between patches drawn one by one, and by the picture of all; pixels at
   * the sides of patches are left out, where both round, and signs, which only the first have.
   */
  twins(columns, rows, pixels) {
    const { boxes, explanation: e } = example(columns, rows, 10);
    const scores = scoresOf(boxes.length, (i) => reading(e, i), e.scale.own);
    const o = { boxes, scores, picture: true, apart: true, opacity: 0.6, top: 0 };
    Object.assign(o, { out: new Set([3, 5]), palette: paletteOf(false) });
    const view = { scale: pixels / 10, x: 0, y: 0 };
    const size = { width: columns * pixels, height: rows * pixels };
    const [one, all] = [canvasOf(size), canvasOf(size)];
    paint(one.getContext("2d"), view, size, o);
    new PatchMap(boxes).draw(all.getContext("2d"), view, size, o);
    const [a, b] = [one, all].map((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height));
    let most = 0;
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        for (let part = 0; part < 4; part++) {
          const [x, y] = [column, row].map((n) => Math.floor((n + 0.8) * pixels));
          const at = 4 * (y * size.width + x) + part;
          most = Math.max(most, Math.abs(a.data[at] - b.data[at]));
        }
    return most;
  },

  /** Whether the lattice finds the same patches as a look at all, at random points. */
  finds(boxes, points) {
    const lattice = new Lattice(boxes);
    return points.filter(([x, y]) => {
      const inside = boxes.filter(
        (b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height,
      );
      const far = (b) => (x - b.x - b.width / 2) ** 2 + (y - b.y - b.height / 2) ** 2;
      const least = Math.min(...inside.map(far));
      const found = lattice.at(x, y);
      return found < 0 ? inside.length > 0 : far(boxes[found]) !== least;
    }).length;
  },

  scaleBar,
};

const frame = () =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));

/** The canvas that shows the map. */
function mapped() {
  const all = [...window.viewer.canvas.lastElementChild.querySelectorAll("canvas")];
  return all.find((canvas) => canvas.style.display !== "none");
}

function canvasOf({ width, height }) {
  const canvas = document.createElement("canvas");
  return Object.assign(canvas, { width, height });
}

function read(canvas, { x, y }) {
  const scale = canvas.width / canvas.clientWidth;
  const [left, top] = [x, y].map((n) => Math.floor(n * scale));
  return [...canvas.getContext("2d").getImageData(left, top, 1, 1).data];
}
