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
  private readonly cursor = make("button", { type: "button", className: "cursor", part: "cursor" });
  private readonly paper = make("div", { className: "paper" }, this.canvas);
  private drawn: Picture | null = null;
  private lit: HTMLElement[] = [];
  private at = 0;
  private touched = false;

  constructor(
    private readonly events: PictureEvents,
    describedBy: string,
  ) {
    this.element = make("div", { className: "stage", hidden: true }, this.paper);
    this.cursor.setAttribute("aria-describedby", describedBy);
    this.paper.addEventListener(
      "pointerdown",
      (event) => (this.touched = event.pointerType === "touch"),
    );
    this.paper.addEventListener("pointermove", (event) => {
      const cell = event.pointerType === "touch" ? null : this.under(event);
      if (cell) this.look(cell.instance);
    });
    this.paper.addEventListener("click", (event) => this.click(event));
    this.cursor.addEventListener("keydown", (event) => this.key(event));
    this.cursor.addEventListener("focus", () => this.look(this.at));
  }

  /** Sets whether instances can be removed. */
  set live(live: boolean) {
    this.element.classList.toggle("live", live);
    if (live && !this.cursor.isConnected) this.paper.append(this.cursor);
    if (!live) this.cursor.remove();
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
    for (const old of this.lit) old.remove();
    this.lit = [];
    const { drawn } = this;
    if (!drawn) return;
    const spot = places(drawn.cells).find((c) => c.instance === this.at) ?? places(drawn.cells)[0];
    if (spot) {
      this.at = spot.instance;
      place(this.cursor, spot, drawn);
      this.cursor.setAttribute("aria-label", this.events.describe(spot.instance));
    }
    if (!lit) return;
    for (const cell of drawn.cells) {
      if (cell.instance !== this.at) continue;
      const frame = make("span", { className: "lit" });
      place(frame, cell, drawn);
      this.lit.push(frame);
    }
    this.paper.append(...this.lit);
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

  // Touch has no hover: the first touch selects the instance, the second removes it. A click on the
  // cursor comes from the keyboard, because the cursor ignores the pointer.
  private click(event: MouseEvent): void {
    if (event.target === this.cursor) return this.events.onToggle(this.at);
    const cell = this.under(event);
    if (!cell) return;
    const known = this.lit.length > 0 && this.at === cell.instance;
    this.look(cell.instance);
    if (!this.touched || known) this.events.onToggle(cell.instance);
  }

  private key(event: KeyboardEvent): void {
    const direction = arrowKeys[event.key];
    if (!direction || !this.drawn) return;
    event.preventDefault();
    this.look(neighbour(this.drawn.cells, this.at, direction));
    this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
