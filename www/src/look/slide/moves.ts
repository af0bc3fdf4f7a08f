// Moving the view of a slide by buttons and keys.
import type { Viewer } from 'openseadragon';
import type { Rect, Sight } from '../place/view';

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
  /** The part of the slide in sight; null for all of it. */
  const sight = (): Sight | null => {
    const item = world.getItemCount() ? world.getItemAt(0) : null;
    const near = viewport.getZoom() / viewport.getHomeZoom();
    if (!item || near <= 1.001) return null;
    const at = item.viewportToImageCoordinates(viewport.getCenter());
    const { x, y } = item.getContentSize();
    return { x: at.x / x, y: at.y / y, zoom: near };
  };
  /** Shows a part of the slide. */
  const go = (sight: Sight) => {
    const item = world.getItemCount() ? world.getItemAt(0) : null;
    if (!item) return;
    if (sight.zoom <= 1) return void viewport.goHome();
    const { x, y } = item.getContentSize();
    viewport.zoomTo(viewport.getHomeZoom() * sight.zoom);
    viewport.panTo(item.imageToViewportCoordinates(sight.x * x, sight.y * y));
    viewport.applyConstraints();
  };
  return { zoom, reveal, sight, go, all: () => void viewport.goHome() };
}
