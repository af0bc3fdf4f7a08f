import type OpenSeadragon from "openseadragon";
import { contextOf } from "../canvas.js";
import type { Pixels, SlideImage, SlideLevel } from "../types.js";

/** Sides of tiles that are taken as the file has them; others are cut in another way. */
const [LEAST_SIDE, MOST_SIDE, USUAL_SIDE] = [128, 1024, 512];

/** A level larger than this is no first view: a smaller one is averaged from it. */
const FIRST_VIEW = 2048;

/** The longer side of that smaller one. */
const OVERVIEW = 1024;

interface Job {
  tile: { level: number; x: number; y: number };
  userData: { controller?: AbortController };
  finish(data: CanvasRenderingContext2D, request: null, type: string): void;
  fail(message: string, request: null): void;
}

interface Step {
  width: number;
  height: number;
  side: [width: number, height: number];
  read(x: number, y: number, signal: AbortSignal): Promise<Pixels>;
}

/**
 * Returns an open slide as a source for `tileSources` and `addTiledImage`. Tiles are read and
 * decoded when they come into sight. The slide must stay open for as long as it is shown.
 */
export function tileSource(slide: SlideImage): OpenSeadragon.TileSourceOptions {
  const steps = slide.levels.map((level, number) => stepOf(slide, level, number));
  const smallest = slide.levels.at(-1)!;
  if (Math.max(smallest.width, smallest.height) > FIRST_VIEW) steps.push(overviewOf(slide));
  steps.reverse(); // OpenSeadragon counts from the smallest
  const { width, height } = slide.levels[0]!;
  const source = {
    width,
    height,
    minLevel: 0,
    maxLevel: steps.length - 1,
    tileOverlap: 0,
    getLevelScale: (level: number) => steps[level]!.width / width,
    getTileWidth: (level: number) => steps[level]!.side[0],
    getTileHeight: (level: number) => steps[level]!.side[1],
    getNumTiles: (level: number) => {
      const { width, height, side } = steps[level]!;
      return { x: Math.ceil(width / side[0]), y: Math.ceil(height / side[1]) };
    },
    // Nothing is fetched from this address; it names a tile in the cache.
    getTileUrl: (level: number, x: number, y: number) => `${identity(slide)}/${level}/${x}/${y}`,
    hasTransparency: () => false,
    downloadTileStart(job: Job) {
      const { level, x, y } = job.tile;
      const controller = (job.userData.controller = new AbortController());
      const context = steps[level]!.read(x, y, controller.signal).then(drawn);
      context.then(
        (context) => job.finish(context, null, "context2d"),
        (cause) => job.fail(String(cause?.message ?? cause), null),
      );
    },
    downloadTileAbort: (job: Job) => job.userData.controller?.abort(),
  };
  return source as unknown as OpenSeadragon.TileSourceOptions;
}

function stepOf(slide: SlideImage, level: SlideLevel, number: number): Step {
  const { width, height, tileWidth, tileHeight } = level;
  const fits = (side: number) => side >= LEAST_SIDE && side <= MOST_SIDE;
  const side: Step["side"] =
    fits(tileWidth) && fits(tileHeight) ? [tileWidth, tileHeight] : [USUAL_SIDE, USUAL_SIDE];
  return {
    width,
    height,
    side,
    read(column, row, signal) {
      const [x, y] = [column * side[0], row * side[1]];
      const [w, h] = [Math.min(side[0], width - x), Math.min(side[1], height - y)];
      return slide.region(number, x, y, w, h, { signal });
    },
  };
}

function overviewOf(slide: SlideImage): Step {
  const { width, height } = slide.levels[0]!;
  const scale = OVERVIEW / Math.max(width, height);
  const side: Step["side"] = [
    Math.max(1, Math.floor(width * scale)),
    Math.max(1, Math.floor(height * scale)),
  ];
  return {
    width: side[0],
    height: side[1],
    side,
    read: (_column, _row, signal) => slide.overview(OVERVIEW, { signal }),
  };
}

/** Numbers of slides, so that those of one name are told apart. */
const identities = new WeakMap<SlideImage, string>();
let last = 0;

function identity(slide: SlideImage): string {
  const known = identities.get(slide) ?? `bagscope:${++last}`;
  identities.set(slide, known);
  return known;
}

function drawn({ width, height, rgba }: Pixels): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = contextOf(canvas);
  context.putImageData(new ImageData(rgba, width), 0, 0);
  return context;
}
