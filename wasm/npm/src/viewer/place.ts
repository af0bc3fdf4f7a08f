import type OpenSeadragon from "openseadragon";
import type { Frame, View } from "../patches/view.js";

/** Where an image lies in a viewer, before rotation and mirroring about the viewer's middle. */
export interface Placed {
  view: View;
  frame: Frame;
  /** Degrees. */
  rotation: number;
  flipped: boolean;
}

/** The place of the first image of a viewer; `width` is its width in the units wanted. */
export function placeOf(viewer: OpenSeadragon.Viewer, width: number | null): Placed | null {
  const item = viewer.world?.getItemCount() ? viewer.world.getItemAt(0) : null;
  if (!item) return null;
  const { viewport } = viewer;
  const seen = viewport.getBoundsNoRotate(true);
  const own = item.getBoundsNoRotate(true);
  const size = viewport.getContainerSize();
  const unit = (width ?? item.getContentSize().x) / own.width; // units of the image
  return {
    view: {
      scale: size.x / seen.width / unit,
      x: (seen.x - own.x) * unit,
      y: (seen.y - own.y) * unit,
    },
    frame: { width: size.x, height: size.y },
    rotation: viewport.getRotation(true),
    flipped: viewport.getFlip(),
  };
}

/** The view and the frame that hold all that is in sight of a rotated viewer. */
export function covering({ view, frame, rotation }: Placed): { view: View; frame: Frame } {
  if (rotation % 360 === 0) return { view, frame };
  const side = Math.hypot(frame.width, frame.height);
  const [left, top] = [(side - frame.width) / 2, (side - frame.height) / 2];
  return {
    view: { ...view, x: view.x - left / view.scale, y: view.y - top / view.scale },
    frame: { width: side, height: side },
  };
}

/** The transform of CSS from the covering frame of a place to the viewer. */
export function turn(placed: Placed): string {
  const { frame, rotation, flipped } = placed;
  const cover = covering(placed).frame;
  return (
    `translate(${frame.width / 2}px,${frame.height / 2}px) scaleX(${flipped ? -1 : 1}) ` +
    `rotate(${rotation}deg) translate(${-cover.width / 2}px,${-cover.height / 2}px)`
  );
}

/** The place of the image at a point of the viewer. */
export function pointAt(placed: Placed, x: number, y: number): { x: number; y: number } {
  const { view, frame, rotation, flipped } = placed;
  const [dx, dy] = [(flipped ? -1 : 1) * (x - frame.width / 2), y - frame.height / 2];
  const angle = (-rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [ux, uy] = [dx * cos - dy * sin + frame.width / 2, dx * sin + dy * cos + frame.height / 2];
  return { x: view.x + ux / view.scale, y: view.y + uy / view.scale };
}
