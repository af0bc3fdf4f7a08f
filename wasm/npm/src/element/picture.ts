/**
 * The picture of a bag: a canvas, frames around the selected instance, and a cursor for the
 * keyboard.
 */

import { arrowKeys, cellAt, neighbour, places } from "../cells.js";
import type { Cell, Picture } from "../types.js";
import { make, place } from "./dom.js";

export interface PictureEvents {
  /** Called when an instance is selected. */
  onLook(instance: number): void;
  /** Called to remove an instance from the bag or to restore it. */
  onToggle(instance: number): void;
  /** Returns the text alternative of an instance. */
  describe(instance: number): string;
}

export class PictureView {
  readonly element: HTMLElement;
  private readonly canvas = make("canvas", { part: "picture", "aria-hidden": "true" });
  private readonly cursor = make("div", {
    role: "gridcell",
    tabIndex: 0,
    className: "cursor",
    part: "cursor",
  });
  private readonly grid = make("div", { role: "grid" }, make("div", { role: "row" }, this.cursor));
  private readonly paper = make("div", { className: "paper" }, this.canvas);
  private readonly sentences = make("p", { id: "sentences", hidden: true });
  private drawn: Picture | null = null;
  private lit: HTMLElement[] = [];
  private hovered: HTMLElement[] = [];
  private at = 0;

  constructor(
    private readonly events: PictureEvents,
    describedBy: string,
  ) {
    this.element = make(
      "div",
      { className: "stage", dir: "ltr", hidden: true },
      this.paper,
      this.sentences,
    );
    this.grid.setAttribute("aria-labelledby", this.sentences.id);
    this.cursor.setAttribute("aria-describedby", describedBy);
    this.paper.addEventListener("pointermove", (event) => {
      const cell = event.pointerType === "touch" ? null : this.under(event);
      this.hovered = this.framed(this.hovered, cell?.instance ?? null, "hovered");
    });
    this.paper.addEventListener("pointerleave", () => {
      this.hovered = this.framed(this.hovered, null, "hovered");
    });
    this.paper.addEventListener("click", (event) => {
      const cell = this.under(event);
      if (!cell) return;
      this.look(cell.instance);
      this.cursor.focus({ preventScroll: true });
    });
    this.cursor.addEventListener("keydown", (event) => this.key(event));
    this.cursor.addEventListener("focus", () => this.look(this.at));
  }

  /** Sets whether instances can be removed. */
  set live(live: boolean) {
    this.element.classList.toggle("live", live);
    if (live && !this.grid.isConnected) this.paper.append(this.grid);
    if (!live) this.grid.remove();
  }

  /** The name of the picture for screen readers. */
  set name(text: string) {
    this.sentences.textContent = text;
  }

  /** Shows a drawing with `scale` pixels for each layout pixel; throws if the browser cannot. */
  show(picture: Picture, scale: number): void {
    picture.paint(this.canvas);
    this.drawn = picture;
    this.element.hidden = false;
    this.paper.style.width = `${picture.width / scale}px`;
    this.frame(this.lit.length > 0);
  }

  /** Frames all cells of an instance, for example when another view selects it. */
  look(instance: number): void {
    this.at = instance;
    this.frame(true);
    this.events.onLook(instance);
  }

  /** Removes the frames. The cursor stays where it is. */
  clear(): void {
    this.frame(false);
  }

  blob(): Promise<Blob | null> {
    return new Promise((resolve) => this.canvas.toBlob(resolve));
  }

  private frame(lit: boolean): void {
    const { drawn } = this;
    this.lit = this.framed(this.lit, null, "lit");
    if (!drawn) return;
    const spot = places(drawn.cells).find((c) => c.instance === this.at) ?? places(drawn.cells)[0];
    if (spot) {
      this.at = spot.instance;
      place(this.cursor, spot, drawn);
      this.cursor.setAttribute("aria-label", this.events.describe(spot.instance));
    }
    if (lit) this.lit = this.framed(this.lit, this.at, "lit");
  }

  /** Replaces frames by those around all cells of an instance, none for null. Returns the frames. */
  private framed(old: HTMLElement[], instance: number | null, className: string): HTMLElement[] {
    for (const frame of old) frame.remove();
    const { drawn } = this;
    const frames = (drawn?.cells ?? [])
      .filter((cell) => cell.instance === instance)
      .map((cell) => {
        const frame = make("span", { className });
        place(frame, cell, drawn!);
        return frame;
      });
    this.paper.append(...frames);
    return frames;
  }

  private under(event: MouseEvent): Cell | null {
    if (!this.drawn) return null;
    const box = this.canvas.getBoundingClientRect();
    const zoom = this.drawn.width / box.width;
    return cellAt(
      this.drawn.cells,
      (event.clientX - box.left) * zoom,
      (event.clientY - box.top) * zoom,
    );
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Letters are left to the page: in a notebook, x cuts a cell.
    if (["Delete", "Backspace"].includes(event.key) && !event.repeat) {
      event.preventDefault();
      return this.events.onToggle(this.at);
    }
    const direction = arrowKeys[event.key];
    if (!direction || !this.drawn) return;
    event.preventDefault();
    this.look(neighbour(this.drawn.cells, this.at, direction));
    this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
