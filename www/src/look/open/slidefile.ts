// Which files are slides, and opening them. The engine reads a slide by ranges.
import { BagscopeError, type FileLike, type SlideImage } from 'bagscope';
import { isData, isPicture } from '../state/formats';
import { session } from '../state/session.svelte';
import { hasBands } from './serve';

/** Endings of files that may hold a pyramid. */
const ENDINGS = /\.(svs|ndpi|scn|tiff?|ozx|zarr\.zip)$/i;

/** Formats of scanners, whose files are slides even with one level. */
const scanners = ['Aperio', 'Hamamatsu', 'Philips', 'Leica', 'DICOM', 'OME-Zarr'];

/** Whether a file may be a slide or a part of one in DICOM, by its name. */
const maybeSlide = (file: FileLike): file is File =>
  !('data' in file) && (ENDINGS.test(file.name) || maybeDICOM(file));

/** Whether a file may be one of DICOM, whose names say nothing. */
const maybeDICOM = ({ name }: FileLike) => !isData(name) && !isPicture(name);

/**
 * Opens a pyramid, a file of a scanner, or the files of a slide of DICOM. Returns null for other
 * files, and for those that cannot be read as one: the page then opens them as pictures, or says
 * what is wrong with them.
 */
export async function openSlide(files: readonly FileLike[]): Promise<SlideImage | null> {
  if (!files.every(maybeSlide) || (files.length > 1 && !files.every(maybeDICOM))) return null;
  let slide: SlideImage;
  try {
    slide = await session.engine!.slide(files, { name: files[0]!.name });
  } catch (error) {
    if (error instanceof BagscopeError && error.kind !== 'internal') return null;
    throw error;
  }
  if (slide.levels.length > 1 || scanners.includes(slide.format) || hasBands(slide)) return slide;
  slide.close();
  return null;
}
