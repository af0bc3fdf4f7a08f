// From files as they were given to files that the engine reads: pictures are cut into patches.
// Everything else the engine reads itself.
import type { FileLike, ModelInfo, PatchOptions, SlideImage } from 'bagscope';
import type { Survey } from '../read/cut';
import type { Opened } from '../place/tiles';
import type { Calls, Readable } from '../read/calls';
import { reader } from '../read/reader';
import { ReadFault } from '../read/fault';
import { tissue } from '../read/grid';
import { look as words } from '../../strings';
import { openSlide } from '../slide/open';
import { isTIFF, openTIFF, serve } from '../slide/serve';
import { isPicture } from './formats';
import { checkPatches } from './patchlimit';

export interface Prepared {
  /** As they were given. */
  given: readonly FileLike[];
  /** For the engine. */
  files: readonly FileLike[];
  /** The picture that patches were cut from, or one that features lie in. */
  picture: Opened | null;
  cut: Cut | null;
  /** The slide that features lie in, or one that is open alone. */
  slide: SlideImage | null;
  notes: string[];
}

/** How a picture was cut. */
export interface Cut {
  survey: Survey;
  background: number;
}

/** A side that many encoders of patches take, for a picture of which nothing says how to cut it. */
const USUAL_SIDE = 224;

/** Bytes of a file, however it was given. */
export const blobOf = (file: FileLike): Blob =>
  'data' in file ? new Blob([file.data as BlobPart]) : file;

const base = (name: string) => name.replace(/\.[a-z0-9]+$/i, '');
const npz = (name: string, blob: Blob): FileLike => new File([blob], `${base(name)}.npz`);

/** Files that the engine reads as they are. */
export const untouched = (files: readonly FileLike[]): Prepared => ({
  given: files,
  files,
  picture: null,
  cut: null,
  slide: null,
  notes: [],
});

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
  if (pictures.length === 1 && others.length === 0)
    return cutOne(plain, pictures[0]!, patch, model, before, calls);
  if (pictures.length > 1 && others.length === 0) {
    if (pictures.every((f) => /\.(png|jpe?g|webp|tiff?|svs)$/i.test(f.name))) return plain;
    const named = pictures.toSorted((a, b) =>
      a.name.localeCompare(b.name, 'en', { numeric: true }),
    );
    const slides = await Promise.all(named.map(tiffOf));
    const bag = await closing(slides, () =>
      calls.together(
        named.map((file, i) => readable(file, slides[i]!)),
        channels(model),
      ),
    );
    return { ...plain, files: [npz('pictures', bag)] };
  }
  if (others.length !== 1 || pictures.length > 1) return plain;
  if (pictures.length === 0) return plain;
  const slide = await slideOf(pictures[0]!, before);
  if (slide) return { ...plain, files: others, slide };
  return { ...plain, files: others, ...(await opened(pictures[0]!, before, calls)) };
}

/** Opens the slide in a file, unless it is open; null if it is none. */
export function slideOf(file: FileLike, before: Prepared | null): Promise<SlideImage | null> {
  if (before?.slide && before.given.includes(file)) return Promise.resolve(before.slide);
  return openSlide(file);
}

async function opened(
  file: FileLike,
  before: Prepared | null,
  calls: Calls,
): Promise<{ picture: Opened; notes: string[] }> {
  if (before?.picture && before.given.includes(file)) return { picture: before.picture, notes: [] };
  const slide = await tiffOf(file);
  return closing([slide], () => decoded(file, slide, calls));
}

/** Decodes a picture; `slide` is a TIFF file's, null for others. */
async function decoded(file: FileLike, slide: SlideImage | null, calls: Calls) {
  const { notes, ...picture } = await calls.picture(readable(file, slide));
  return { picture, notes };
}

/** Opens a file if it is TIFF. */
const tiffOf = (file: FileLike): Promise<SlideImage | null> =>
  isTIFF(file.name) ? openTIFF(file) : Promise.resolve(null);

const readable = (file: FileLike, slide: SlideImage | null): Readable => ({
  name: file.name,
  file: blobOf(file),
  ...(slide && { tiff: serve(slide) }),
});

/** Closes slides if the work fails. Otherwise the reader has them closed. */
async function closing<T>(
  slides: readonly (SlideImage | null)[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const slide of slides) slide?.close();
    throw error;
  }
}

async function cutOne(
  plain: Prepared,
  file: FileLike,
  patch: PatchOptions | undefined,
  model: ModelInfo | null,
  before: Prepared | null,
  calls: Calls = reader,
): Promise<Prepared> {
  const sides = instanceShape(model);
  if (sides.length === 1) throw new ReadFault('format', words.cut.vectors(file.name, sides[0]!));
  const colours = channels(model);
  const known = before?.picture && before.given.includes(file) ? before.picture : null;
  const slide = known ? null : await tiffOf(file);
  const { picture, notes } = await closing([slide], async () => {
    const size = known?.full ?? slide?.levels[0] ?? (await calls.sides(file.name, blobOf(file)));
    if (size) checkPatches(file.name, size, grid(patch, model, size), colours, null);
    return known ? { picture: known, notes: [] } : decoded(file, slide, calls);
  });
  try {
    const how = grid(patch, model, picture.full);
    const { size, stride, background } = how;
    const survey = await calls.survey(picture.id, size, stride);
    const kept = tissue(survey.means, background).length;
    checkPatches(file.name, picture.full, how, colours, kept);
    const { bag } = await calls.cut(picture.id, size, stride, background, colours);
    return { ...plain, files: [npz(file.name, bag)], picture, cut: { survey, background }, notes };
  } catch (error) {
    if (picture !== before?.picture) void reader.close(picture.id);
    throw error;
  }
}

/**
 * How a picture is cut: as asked for, else as the model's card says, else in squares that the model
 * takes.
 */
export function grid(
  patch: PatchOptions | undefined,
  model: ModelInfo | null,
  picture: { width: number; height: number },
) {
  const sides = instanceShape(model);
  const [h, w] = sides.slice(-2);
  const own = sides.length >= 2 && h === w && (w ?? 0) > 1 ? w : undefined;
  const size =
    patch?.size ?? model?.patch?.size ?? own ?? Math.min(USUAL_SIDE, picture.width, picture.height);
  const card = patch?.size === undefined ? model?.patch : null;
  const stride = patch?.stride ?? card?.stride ?? size;
  return { size, stride, background: patch?.background ?? model?.patch?.background ?? 0 };
}

/** Sides of an instance as a model wants it; below 1 where any will do. */
export function instanceShape(model: ModelInfo | null): readonly number[] {
  const input = model?.inputs.find((t) => t.name === model.input);
  return input ? input.shape.slice(model!.instanceAxis + 1) : [];
}

/** Pictures are grey for a model that wants one channel. */
function channels(model: ModelInfo | null): 1 | 3 {
  const sides = instanceShape(model);
  return sides.length === 2 || (sides.length === 3 && sides[0] === 1) ? 1 : 3;
}
