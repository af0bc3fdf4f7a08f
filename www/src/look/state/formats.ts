// The formats of bags that the page opens: those of the engine, and pictures that the browser
// decodes.
import { bagFormats } from 'bagscope';

/** Pictures that the browser or the page decodes. */
const pictures = [
  '.png',
  '.jpg',
  '.jpeg',
  '.webp',
  '.tif',
  '.tiff',
  '.svs',
  '.ndpi',
  '.scn',
  '.bif',
  '.gif',
  '.bmp',
  '.avif',
];

/** The formats as the page names them: ".npy, .npz, ...". */
export const formatNames = bagFormats.map((f) => f.name).join(', ');

/** Endings of files that hold a bag, or several. */
export const dataEndings: readonly string[] = bagFormats
  .flatMap((f) => f.endings)
  .filter((e) => !pictures.includes(e));

const endsWith = (name: string, endings: readonly string[]) =>
  endings.some((ending) => name.toLowerCase().endsWith(ending));

/** Returns whether the engine reads a file, by its name; others are pictures for the browser. */
export const engineReads = (name: string): boolean =>
  endsWith(
    name,
    bagFormats.flatMap((f) => f.endings),
  );

/** Returns whether a file is a picture, by its name. */
export const isPicture = (name: string): boolean => endsWith(name, pictures);

/** Endings of files of which several are one bag. */
const slices = ['.dcm', '.dicom'];

/** Returns whether a file holds a bag, or several, by its name. It may be compressed by gzip. */
export const isData = (name: string): boolean =>
  endsWith(name.replace(/\.gz$/i, ''), dataEndings) && !endsWith(name, slices);

/** The accept attribute of a file input for bags. */
export const acceptBags = [
  ...dataEndings,
  '.gz',
  'application/gzip',
  ...pictures,
  'image/*',
].join();

/** Files of models and of bags, so that one dialog chooses both. */
export const acceptAll = `.onnx,.json,.data,.onnx_data,.bin,${acceptBags}`;
