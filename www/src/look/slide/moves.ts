// Moving the view of a slide by buttons and keys.
import type { Viewer } from 'openseadragon';
import type { Rect } from '../place/view';

/** What moves the view of a slide. */
export function movesOf({ viewport, world }: Viewer) {
  const zoom = (factor: number) => {
    viewport.zoomBy(factor);
    viewport.applyConstraints();
  };
  /** Brings the middle of a box of level 0 into sight. */
  const reveal = ({ x, y, width, height }: Rect) => {
    const item = world.getItemCount() ? world.getItemAt(0) : null;
    if (!item) return;
    const middle = item.imageToViewportCoordinates(x + width / 2, y + height / 2);
    if (!viewport.getBounds(true).containsPoint(middle)) viewport.panTo(middle);
    viewport.applyConstraints();
  };
  return { zoom, reveal, all: () => void viewport.goHome() };
}
