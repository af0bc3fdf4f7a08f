// Which files are slides, and opening them. The engine reads a slide by ranges.
import { BagscopeError, type FileLike, type SlideImage } from 'bagscope';
import { session } from '../state/session.svelte';

/** Endings of files that may hold a pyramid. */
const ENDINGS = /\.(svs|tiff?)$/i;

/** Whether a file may be a slide, by its name. */
export const maybeSlide = (file: FileLike): file is File =>
  !('data' in file) && ENDINGS.test(file.name);

/**
 * Opens a pyramid, or a file of a scanner. Returns null for other files, and for those that cannot be
 * read as one: the page then opens them as pictures, or says what is wrong with them.
 */
export async function openSlide(file: FileLike): Promise<SlideImage | null> {
  if (!maybeSlide(file)) return null;
  let slide: SlideImage;
  try {
    slide = await session.engine!.slide(file, { name: file.name });
  } catch (error) {
    if (error instanceof BagscopeError && error.kind !== 'internal') return null;
    throw error;
  }
  if (slide.levels.length > 1 || slide.format === 'Aperio') return slide;
  slide.close();
  return null;
}
