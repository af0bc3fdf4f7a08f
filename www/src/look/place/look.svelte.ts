// The view of the picture that is open, shared by all that draw it: zoom one and the other follows.
import {
  fit,
  middle,
  pan,
  reveal,
  zoom,
  type Frame,
  type Rect,
  type Sight,
  type View,
} from './view';

const NOTHING: Rect = { x: 0, y: 0, width: 1, height: 1 };

class Look {
  world = $state.raw<Rect>(NOTHING);
  frame = $state.raw<Frame>({ width: 0, height: 0 });
  view = $state.raw<View>({ scale: 1, x: 0, y: 0 });
  whole = $derived(fit(this.world, this.frame));
  /** Whether less than all of the picture is in sight. */
  near = $derived(this.view.scale > this.whole.scale * 1.001);
  /** The part of the picture in sight; null for all of it. */
  sight = $derived<Sight | null>(this.near ? this.#sight() : null);
  /** Patches that a rectangle by keyboard begins at, or null. */
  anchor = $state<number | null>(null);
  lasso = $state(false);

  /** Begins with all of a picture in sight. */
  open(world: Rect): void {
    if (world === this.world) return;
    this.world = world;
    this.anchor = null;
    this.view = this.whole;
  }

  /** Follows the room that there is. */
  resize(frame: Frame): void {
    const all = !this.near || this.frame.width === 0;
    this.frame = frame;
    this.view = all ? this.whole : middle(this.view, this.world, frame);
  }

  all(): void {
    this.view = this.whole;
  }

  zoom(factor: number, at = { x: this.frame.width / 2, y: this.frame.height / 2 }): void {
    this.view = zoom(this.view, factor, at, this.world, this.frame);
  }

  pan(dx: number, dy: number): void {
    this.view = pan(this.view, dx, dy, this.world, this.frame);
  }

  #sight(): Sight {
    const { view, world, frame } = this;
    const x = (view.x + frame.width / 2 / view.scale - world.x) / world.width;
    const y = (view.y + frame.height / 2 / view.scale - world.y) / world.height;
    return { x, y, zoom: view.scale / this.whole.scale };
  }

  /** Shows a part of the picture. */
  go(sight: Sight): void {
    const { world, frame } = this;
    this.view = zoom(this.whole, sight.zoom, { x: 0, y: 0 }, world, frame);
    const { scale } = this.view;
    const x = world.x + sight.x * world.width - frame.width / 2 / scale;
    const y = world.y + sight.y * world.height - frame.height / 2 / scale;
    this.view = middle({ scale, x, y }, world, frame);
  }

  /** Brings the middle of a box into sight, if it is not. */
  reveal({ x, y, width, height }: Rect): void {
    const { view, frame } = this;
    const [across, down] = [x + width / 2 - view.x, y + height / 2 - view.y];
    const inside = (at: number, side: number) => at >= 0 && at <= side / view.scale;
    if (inside(across, frame.width) && inside(down, frame.height)) return;
    this.view = reveal(view, { x, y, width, height }, this.world, frame);
  }
}

export const look = new Look();
