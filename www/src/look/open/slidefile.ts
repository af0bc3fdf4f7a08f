// Which files are slides, and opening them. The engine reads a slide by ranges.
import { BagscopeError, type FileLike, type SlideImage, type SlideOptions } from 'bagscope';
import { isData, isPicture } from '../state/formats';
import { session } from '../state/session.svelte';
import { hasBands } from './serve';

/** Endings of files that may hold a pyramid. */
const ENDINGS = /\.(svs|ndpi|scn|tiff?|ozx|zarr\.zip)$/i;

/** Formats of scanners, whose files are slides even with one level. */
const scanners = [
  'Aperio',
  'Hamamatsu',
  'Philips',
  'Leica',
  'Ventana',
  'DICOM',
  'OME-Zarr',
  'tiles',
];

/** Whether a file may be a slide or a part of one in DICOM, by its name. */
const maybeSlide = (file: FileLike): file is File =>
  !('data' in file) && (ENDINGS.test(file.name) || maybeDICOM(file));

/** Whether files may be the tiles of a slide, with places in their names, or an archive of them. */
const maybeTiles = (files: readonly FileLike[]) =>
  files.length > 1
    ? files.every(({ name }) => /\.(png|jpe?g|webp)$/i.test(name))
    : files.every(({ name }) => /\.zip$/i.test(name));

/** Whether a file may be one of DICOM, whose names say nothing. */
const maybeDICOM = ({ name }: FileLike) => !isData(name) && !isPicture(name);

/** How tiles are read: which number in their names is x, if somebody says it. */
export type Tiles = Pick<SlideOptions, 'tileNames'>;

/**
 * Opens a pyramid, a file of a scanner, the files of a slide of DICOM, or with `tiles` those of its
 * tiles. Returns null for other files, and for those that cannot be read as one: the page then opens
 * them as pictures, or says what is wrong with them. It throws the question which number in the names
 * of tiles is x.
 */
export async function openSlide(
  files: readonly FileLike[],
  tiles?: Tiles,
): Promise<SlideImage | null> {
  const whole = files.every(maybeSlide) && (files.length === 1 || files.every(maybeDICOM));
  if (!whole && !(tiles && maybeTiles(files))) return null;
  let slide: SlideImage;
  try {
    slide = await session.engine!.slide(files, { name: files[0]!.name, ...tiles });
  } catch (error) {
    if (error instanceof BagscopeError && error.kind !== 'internal' && !error.details.answers)
      return null;
    throw error;
  }
  // With `tiles`, a picture of one level could not be used otherwise: the model takes features.
  const pyramid = slide.levels.length > 1 || scanners.includes(slide.format) || hasBands(slide);
  if (pyramid || tiles) return slide;
  slide.close();
  return null;
}
