/** Which part of a picture is in sight. */

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Screen pixels for a unit of the picture, and the place of the picture that lies in the frame's
 * upper left corner.
 */
export interface View {
  scale: number;
  x: number;
  y: number;
}

/** Screen pixels in which the picture is seen. */
export interface Frame {
  width: number;
  height: number;
}
