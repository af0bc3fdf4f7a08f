// A picture that is open: decoded once, kept off the page's heap, shown in parts of any size.
import { contextOf } from '../../lib/canvas';
import { withoutExif } from './exif';
import { ReadFault } from './fault';
import { HEAD_BYTES, LONGEST_SIDE, MOST_PIXELS } from './limits';
import { sizeOf, type Size } from './size';
import { read as words } from '../../strings';

export interface Picture extends Size {
  notes: string[];
  /** A part of it, scaled. Transparent pixels lie on white. */
  part(
    x: number,
    y: number,
    width: number,
    height: number,
    toWidth: number,
    toHeight: number,
  ): Promise<ImageBitmap>;
  /** The pixels of some rows, red, green, blue and alpha. Transparent ones lie on white. */
  rows(y: number, count: number): Uint8ClampedArray<ArrayBuffer>;
  /**
   * Sides at full resolution. They are larger than the picture's own where it is a lower level of a
   * pyramid.
   */
  full: Size;
  close(): void;
}

/**
 * How much smaller each further copy is that parts seen from afar are taken from; together they
 * cost a fifteenth.
 */
const STEP = 4;

/** Refuses a picture that is larger than the page takes, in words. */
export function checkSize(name: string, { width, height }: Size): void {
  if (!(width > 0 && height > 0))
    throw new ReadFault('format', words.of(name, words.picture.empty));
  if (width * height > MOST_PIXELS || Math.max(width, height) > LONGEST_SIDE) {
    const most = Math.floor(Math.sqrt(MOST_PIXELS));
    throw new ReadFault('limit', words.picture.tooLarge(name, width, height, most, LONGEST_SIDE));
  }
}

/**
 * Decodes a picture in a format that the browser knows. Colours and orientation stay as the file has
 * them.
 */
export async function openPicture(name: string, file: Blob): Promise<Picture> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const claimed = sizeOf(head);
  if (claimed) checkSize(name, claimed);
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(withoutExif(file, head), {
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
    });
  } catch {
    throw new ReadFault(
      'format',
      claimed ? words.of(name, words.picture.damaged) : words.picture.none(name),
    );
  }
  checkSize(name, bitmap);
  return fromBitmap(bitmap, []);
}

/** A picture of what is decoded already; `full` are its sides if it shows a larger one. */
export function fromBitmap(bitmap: ImageBitmap, notes: string[], full?: Size): Picture {
  const levels: (ImageBitmap | Promise<ImageBitmap>)[] = [bitmap];
  const { width, height } = bitmap;
  return {
    width,
    height,
    notes,
    async part(x, y, w, h, toWidth, toHeight) {
      // The smallest copy that is still as fine as what is wanted.
      let at = 0;
      while (w / STEP ** (at + 1) >= toWidth && Math.min(width, height) / STEP ** (at + 1) >= 1)
        at++;
      const from = await level(at);
      const [sx, sy] = [from.width / width, from.height / height];
      const out = new OffscreenCanvas(toWidth, toHeight);
      const context = ground(out);
      context.imageSmoothingQuality = 'high';
      context.drawImage(from, x * sx, y * sy, w * sx, h * sy, 0, 0, toWidth, toHeight);
      return out.transferToImageBitmap();
    },
    rows(y, count) {
      const band = new OffscreenCanvas(width, count);
      const context = ground(band);
      context.drawImage(bitmap, 0, -y);
      return context.getImageData(0, 0, width, count).data;
    },
    full: full ?? { width, height },
    close() {
      for (const l of levels) void Promise.resolve(l).then((b) => b.close());
    },
  };

  async function level(at: number): Promise<ImageBitmap> {
    const known = levels[at];
    if (known) return known;
    const above = await level(at - 1);
    const [w, h] = [
      Math.max(1, Math.ceil(above.width / STEP)),
      Math.max(1, Math.ceil(above.height / STEP)),
    ];
    return (levels[at] ??= createImageBitmap(above, {
      resizeWidth: w,
      resizeHeight: h,
      resizeQuality: 'medium',
    }));
  }
}

function ground(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  const context = contextOf(canvas, { willReadFrequently: true });
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return context;
}
