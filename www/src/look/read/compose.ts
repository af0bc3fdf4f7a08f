// The picture that patches were cut from, as far as they cover it.
import { contextOf } from '../../lib/canvas';
import { fromBitmap, type Picture } from './picture';

/** Draws patches (instance, channel, row, column) of values 0..255 at their boxes, on white. */
export async function compose(
  values: Float32Array,
  channels: number,
  width: number,
  height: number,
  boxes: readonly { x: number; y: number; width: number; height: number }[],
  right: number,
  bottom: number,
): Promise<Picture> {
  const canvas = new OffscreenCanvas(right, bottom);
  const context = contextOf(canvas);
  context.fillStyle = '#fff';
  context.fillRect(0, 0, right, bottom);
  const patch = new OffscreenCanvas(width, height);
  const small = contextOf(patch);
  const area = width * height;
  const pixels = new ImageData(width, height);
  boxes.forEach((box, i) => {
    const from = i * channels * area;
    for (let p = 0; p < area; p++) {
      for (let c = 0; c < 3; c++)
        pixels.data[4 * p + c] = values[from + (channels === 3 ? c * area : 0) + p]!;
      pixels.data[4 * p + 3] = 255;
    }
    if (box.width === width && box.height === height)
      return context.putImageData(pixels, box.x, box.y);
    small.putImageData(pixels, 0, 0);
    context.drawImage(patch, box.x, box.y, box.width, box.height);
  });
  return fromBitmap(canvas.transferToImageBitmap(), []);
}
