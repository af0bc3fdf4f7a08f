// The view of the picture that is open, shared by all that draw it: zoom one and the other follows.
import { fit, middle, pan, reveal, zoom, type Frame, type Rect, type View } from './view';

const NOTHING: Rect = { x: 0, y: 0, width: 1, height: 1 };

class Look {
  world = $state.raw<Rect>(NOTHING);
  frame = $state.raw<Frame>({ width: 0, height: 0 });
  view = $state.raw<View>({ scale: 1, x: 0, y: 0 });
  whole = $derived(fit(this.world, this.frame));
  /** Whether less than all of the picture is in sight. */
  near = $derived(this.view.scale > this.whole.scale * 1.001);
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

  reveal(box: Rect): void {
    if (this.near) this.view = reveal(this.view, box, this.world, this.frame);
  }

  /** Goes so near to a patch that it fills a fifth of the frame. */
  approach(box: Rect): void {
    const { width, height } = this.frame;
    const wanted = Math.min(width / box.width, height / box.height) / 5;
    if (this.view.scale < wanted) this.zoom(wanted / this.view.scale);
    this.view = reveal(this.view, box, this.world, this.frame);
  }
}

export const look = new Look();
