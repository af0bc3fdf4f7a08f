// The prepared bags, one row each: which files, and which bag of them. What the first
// screen shows of them is computed when the site is built.

export interface Prepared {
  /** In links, file names and the strings, which say what there is to see. */
  key: string;
  /** What an instance is, by the word's key in the strings. */
  noun: string;
  /**
   * How instances are drawn: pictures as ink on paper or in their own colours, or points in the
   * plane.
   */
  look: 'ink' | 'colour' | 'points';
  /** The folder below example/ with model.onnx and bags.npz. */
  files: '' | 'machine/' | 'tissue/';
  index: number;
  /** The class that is explained at first. */
  face: number;
}

export const bags: readonly Prepared[] = [
  {
    key: 'both',
    noun: 'digit',
    look: 'ink',
    files: '',
    index: 0,
    face: 3,
  },
  {
    key: 'eights',
    noun: 'digit',
    look: 'ink',
    files: '',
    index: 1,
    face: 1,
  },
  {
    key: 'wrong',
    noun: 'digit',
    look: 'ink',
    files: '',
    index: 4,
    face: 3,
  },
  {
    key: 'neither',
    noun: 'digit',
    look: 'ink',
    files: '',
    index: 3,
    face: 0,
  },
  {
    key: 'tissue',
    noun: 'patch',
    look: 'colour',
    files: 'tissue/',
    index: 0,
    face: 1,
  },
  {
    key: 'machine',
    noun: 'moment',
    look: 'points',
    files: 'machine/',
    index: 1,
    face: 3,
  },
];

export const first = bags[0]!;

/** The bag of a key, the first where there is no such bag. */
export const bagOf = (key: string | undefined): Prepared =>
  bags.find((b) => b.key === key) ?? first;
