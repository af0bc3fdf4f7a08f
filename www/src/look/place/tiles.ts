// A large picture on the screen: tiles of the size they are seen at, a bounded number of them, and
// a small one of all.
import { reader } from '../read/reader';
import type { Rect, View } from './view';

/** Side of a tile on the screen. */
const SIDE = 512;
/** Tiles that are kept: 96 MB, three times what a 4K screen shows. */
const KEPT = 96;
/** The longer side of the picture of everything. */
const OVERVIEW = 1024;
/** Small pictures of patches that are kept. */
const THUMBS = 600;

export interface Opened {
  id: number;
  width: number;
  height: number;
  /** Sides at full resolution: larger where this is a lower level of a pyramid. */
  full: { width: number; height: number };
}

/** Returns a rectangle of a picture, scaled to so many pixels. */
type Part = (
  x: number,
  y: number,
  width: number,
  height: number,
  toWidth: number,
  toHeight: number,
) => Promise<ImageBitmap>;

export class Tiles {
  #kept = new Map<string, ImageBitmap | null>();
  #thumbs = new Map<number, Promise<ImageBitmap | null>>();
  #overview: ImageBitmap | null = null;
  #begun = false;
  #closed = false;
  /** Called when a tile has arrived that a drawing lacked. */
  onarrival: Set<() => void> = new Set();

  /** `read` returns a part of the picture; default: of one that the reader has open. */
  constructor(
    readonly picture: Opened,
    private readonly read: Part = (...at) => reader.part(picture.id, ...at),
  ) {}

  /** Reads the picture of everything, the first time that something is drawn. */
  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const { width, height } = this.picture;
    const shrink = Math.min(1, OVERVIEW / Math.max(width, height));
    const part = this.read(
      0,
      0,
      width,
      height,
      Math.max(1, Math.round(width * shrink)),
      Math.max(1, Math.round(height * shrink)),
    );
    void part.then(
      (bitmap) => this.#arrived(() => (this.#overview = bitmap), bitmap),
      () => {},
    );
  }

  /**
   * Draws what is in sight. `ratio` is how many pixels of the picture a unit of the world is,
   * `density` that of the screen.
   */
  draw(
    context: CanvasRenderingContext2D,
    view: View,
    world: Rect,
    frame: { width: number; height: number },
    density: number,
  ): void {
    this.#begin();
    const { width, height } = this.picture;
    const ratio = width / world.width;
    const seen = view.scale / ratio; // screen pixels for a pixel of the picture
    const to = (px: number, from: number, at: number) => (px / ratio + from - at) * view.scale;
    context.imageSmoothingEnabled = seen * density < 2;
    context.imageSmoothingQuality = 'high';
    if (this.#overview)
      context.drawImage(
        this.#overview,
        to(0, world.x, view.x),
        to(0, world.y, view.y),
        width * seen,
        height * seen,
      );
    if (this.#overview && Math.max(width, height) <= OVERVIEW) return;
    const level = Math.max(0, Math.floor(Math.log2(1 / (seen * density))));
    const side = SIDE * 2 ** level;
    const first = (at: number, from: number) =>
      Math.max(0, Math.floor(((at - from) * ratio) / side));
    const last = (at: number, from: number, room: number, all: number) =>
      Math.min(Math.ceil(all / side), Math.ceil(((at - from + room / view.scale) * ratio) / side));
    for (
      let row = first(view.y, world.y);
      row < last(view.y, world.y, frame.height, height);
      row++
    ) {
      for (
        let column = first(view.x, world.x);
        column < last(view.x, world.x, frame.width, width);
        column++
      ) {
        const tile = this.#tile(level, column, row, side);
        if (!tile) continue;
        const [w, h] = [Math.min(side, width - column * side), Math.min(side, height - row * side)];
        context.drawImage(
          tile,
          to(column * side, world.x, view.x),
          to(row * side, world.y, view.y),
          w * seen,
          h * seen,
        );
      }
    }
  }

  #tile(level: number, column: number, row: number, side: number): ImageBitmap | null {
    const key = `${level} ${column} ${row}`;
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, known ?? null); // the one used last stands last
    if (known !== undefined) return known;
    const { width, height } = this.picture;
    const [x, y] = [column * side, row * side];
    const [w, h] = [Math.min(side, width - x), Math.min(side, height - y)];
    const part = this.read(
      x,
      y,
      w,
      h,
      Math.max(1, Math.ceil(w / 2 ** level)),
      Math.max(1, Math.ceil(h / 2 ** level)),
    );
    part.then(
      (bitmap) => this.#arrived(() => this.#kept.set(key, bitmap), bitmap),
      () => this.#kept.delete(key),
    );
    for (const [old, bitmap] of this.#kept) {
      if (this.#kept.size <= KEPT) break;
      bitmap?.close();
      this.#kept.delete(old);
    }
    return null;
  }

  #arrived(keep: () => void, bitmap: ImageBitmap): void {
    if (this.#closed) return bitmap.close();
    keep();
    for (const tell of this.onarrival) tell();
  }

  /** A small picture of one patch, null where it cannot be had. */
  thumb(instance: number, box: Rect, world: Rect, side: number): Promise<ImageBitmap | null> {
    const known = this.#thumbs.get(instance);
    if (known) return known;
    const ratio = this.picture.width / world.width;
    const [x, y] = [Math.max(0, (box.x - world.x) * ratio), Math.max(0, (box.y - world.y) * ratio)];
    const [w, h] = [
      Math.min(box.width * ratio, this.picture.width - x),
      Math.min(box.height * ratio, this.picture.height - y),
    ];
    const small =
      w > 0 && h > 0 ? this.read(x, y, w, h, side, side).catch(() => null) : Promise.resolve(null);
    this.#thumbs.set(instance, small);
    const oldest = this.#thumbs.keys().next().value;
    if (this.#thumbs.size > THUMBS && oldest !== undefined) {
      void this.#thumbs.get(oldest)?.then((b) => b?.close());
      this.#thumbs.delete(oldest);
    }
    return small;
  }

  /** A part of the picture at full size, for a file. */
  part(
    x: number,
    y: number,
    width: number,
    height: number,
    toWidth = width,
    toHeight = height,
  ): Promise<ImageBitmap> {
    return this.read(x, y, width, height, toWidth, toHeight);
  }

  /** How many tiles lie in memory. */
  get size(): number {
    return this.#kept.size;
  }

  /** Frees the tiles; the picture itself stays open. */
  close(): void {
    this.#closed = true;
    this.#overview?.close();
    for (const bitmap of this.#kept.values()) bitmap?.close();
    for (const small of this.#thumbs.values()) void small.then((b) => b?.close());
    this.#kept.clear();
    this.#thumbs.clear();
  }
}
