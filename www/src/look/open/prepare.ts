// From files as they were given to files that the engine reads: it gets the pixels of a picture that
// the browser decodes. Everything else the engine reads itself.
import type { FileLike, ModelInfo, PatchOptions, PixelFile, SlideImage } from 'bagscope';
import type { Opened } from '../place/tiles';
import type { Calls } from '../read/calls';
import { reader } from '../read/reader';
import { engineDecodes } from '../read/decoder';
import { ReadFault } from '../read/fault';
import { HEAD_BYTES, MOST_DECODED } from '../read/limits';
import { look as words } from '../../strings';
import { openSlide, type Tiles } from './slidefile';
import { isTIFF, openTIFF, serve } from './serve';
import { engineReads, isData, isPicture } from '../state/formats';
import { fixedSide, instanceShape } from '../state/instanceshape';
import type { Prepared } from '../state/types';

/** A side that many encoders of patches take, for a picture of which nothing says how to cut it. */
const USUAL_SIDE = 224;

/** Bytes of a file, however it was given. */
export const blobOf = (file: FileLike): Blob =>
  'data' in file ? new Blob([file.data as BlobPart]) : file;

/** Files that the engine reads as they are. */
export const untouched = (files: readonly FileLike[]): Prepared => ({
  given: files,
  files,
  patch: undefined,
  picture: null,
  slide: null,
  notes: [],
});

/** Whether no features came with files, as with a slide alone. */
export const isAlone = ({ given, files }: Prepared): boolean => given === files;

/**
 * Makes files ready by the calls of a reader. `before` is what was open: a picture of it that is
 * given again is not decoded again.
 */
export async function prepare(
  files: readonly FileLike[],
  patch: PatchOptions | undefined,
  model: ModelInfo | null,
  before: Prepared | null,
  calls: Calls = reader,
): Promise<Prepared> {
  const pictures = files.filter((f) => isPicture(f.name));
  const others = files.filter((f) => !isPicture(f.name));
  const plain = untouched(files);
  if (before?.slide && isAlone(before)) {
    const given = new Set(before.given);
    const added = files.filter((f) => !given.has(f));
    if (added.length > 0 && added.length + given.size === files.length)
      return { ...plain, files: added, slide: before.slide };
  }
  if (pictures.length === 1 && others.length === 0)
    return cutOne(plain, pictures[0]!, patch, model, before, calls);
  if (pictures.length > 1 && others.length === 0) {
    const readable: (FileLike | PixelFile)[] = [];
    for (const f of pictures) readable.push(engineReads(f.name) ? f : await pixelsOnly(f, calls));
    return { ...plain, files: readable };
  }
  const parts = others.filter((f) => !isData(f.name)); // files of a slide of DICOM
  if (pictures.length === 0 && parts.length === others.length - 1) {
    const slide = parts.length > 0 ? await slideOf(parts, before) : null;
    return slide ? { ...plain, files: others.filter((f) => isData(f.name)), slide } : plain;
  }
  if (others.length !== 1 || pictures.length !== 1) return plain;
  const slide = await slideOf(pictures, before);
  if (slide) return { ...plain, files: others, slide };
  return { ...plain, files: others, ...(await opened(pictures[0]!, before, calls)) };
}

/** Opens the slide in files, which may be its `tiles`, unless it is open; null if it is none. */
export function slideOf(
  files: readonly FileLike[],
  before: Prepared | null,
  tiles?: Tiles,
): Promise<SlideImage | null> {
  const given = new Set(before?.given);
  const open = before?.slide && files.every((file) => given.has(file));
  return open ? Promise.resolve(before.slide) : openSlide(files, tiles);
}

async function opened(
  file: FileLike,
  before: Prepared | null,
  calls: Calls,
): Promise<{ picture: Opened; notes: string[] }> {
  if (before?.picture && before.given.includes(file)) return { picture: before.picture, notes: [] };
  const { name } = file;
  const slide = isTIFF(name) ? await openTIFF(file) : null; // the reader has it closed
  try {
    const tiff = slide ? { tiff: serve(slide) } : {};
    const { notes, ...picture } = await calls.picture({ name, file: blobOf(file), ...tiff });
    return { picture, notes };
  } catch (error) {
    slide?.close();
    throw error;
  }
}

/** The pixels of a picture that is not shown. */
async function pixelsOnly(file: FileLike, calls: Calls): Promise<PixelFile> {
  const { picture } = await opened(file, null, calls);
  try {
    const { id, width, height } = picture;
    return { name: file.name, data: await calls.pixels(id), width, height };
  } finally {
    void reader.close(picture.id);
  }
}

/** The pixels of an open picture, which the engine asks for. */
function pixelsOf({ name }: FileLike, { id, width, height }: Opened): PixelFile {
  const data = () => {
    const { port1, port2 } = new MessageChannel();
    void reader.serve(id, port1);
    return port2;
  };
  return { name, data, width, height };
}

/** Whether the engine decodes a picture, so that its pixels are those of the command line. */
async function decodedByEngine(file: FileLike, pixels: number): Promise<boolean> {
  if (!engineReads(file.name) || pixels > MOST_DECODED) return false;
  const head = await blobOf(file).slice(0, HEAD_BYTES).arrayBuffer();
  return engineDecodes(new Uint8Array(head));
}

async function cutOne(
  plain: Prepared,
  file: FileLike,
  patch: PatchOptions | undefined,
  model: ModelInfo | null,
  before: Prepared | null,
  calls: Calls,
): Promise<Prepared> {
  const sides = instanceShape(model);
  const stated = patch?.size ?? model?.patch?.size;
  if (sides.length === 1 && !stated)
    throw new ReadFault('format', words.cut.vectors(file.name, sides[0]!));
  const { picture, notes } = await opened(file, before, calls);
  const { width, height } = picture.full;
  // The engine reads the full resolution of a picture that is shown made smaller.
  const engine = width !== picture.width || (await decodedByEngine(file, width * height));
  const source = engine ? file : pixelsOf(file, picture);
  const usual = { ...patch, size: Math.min(USUAL_SIDE, width, height) };
  const own = stated || fixedSide(model) ? patch : usual;
  return { ...plain, files: [source], patch: own, picture, notes };
}
