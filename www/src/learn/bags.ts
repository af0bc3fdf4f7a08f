// The prepared bags, one row each: which files, which bag of them, and what there is to learn from it. What the first
// screen shows of them is computed when the site is built.

export interface Prepared {
  /** In links and file names. */
  key: string;
  title: string;
  /** What to look at, in a sentence or two. */
  story: string;
  /** What an instance is called. */
  noun: string;
  /** And several. */
  nouns: string;
  /** How instances are drawn: pictures as ink on paper or in their own colours, or points in the plane. */
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
    title: 'Two 8s and two 9s',
    story:
      'Each 8 has a twin, and each 9 too. Take one of them out and nothing happens; take its twin as well and the answer turns.',
    noun: 'digit',
    nouns: 'digits',
    look: 'ink',
    files: '',
    index: 0,
    face: 3,
  },
  {
    key: 'eights',
    title: 'Two 8s',
    story: 'No 9 far and wide. One 8 is enough for the answer, so that neither of the two is missed alone.',
    noun: 'digit',
    nouns: 'digits',
    look: 'ink',
    files: '',
    index: 1,
    face: 1,
  },
  {
    key: 'wrong',
    title: 'Misread',
    story:
      'Five 8s and a 9, and the model says “an 8”. Look at the class “an 8 and a 9”: did it see the 9 at all?',
    noun: 'digit',
    nouns: 'digits',
    look: 'ink',
    files: '',
    index: 4,
    face: 3,
  },
  {
    key: 'neither',
    title: 'Neither',
    story:
      'No 8 and no 9: what is there to point at, when the answer is that nothing was found? Every digit supports it a little.',
    noun: 'digit',
    nouns: 'digits',
    look: 'ink',
    files: '',
    index: 3,
    face: 0,
  },
  {
    key: 'tissue',
    title: 'Tissue',
    story:
      'A piece of tissue under the microscope, drawn and not a patient’s, in patches. Glands are rings of large pale nuclei; the model was only ever told which slides hold one.',
    noun: 'patch',
    nouns: 'patches',
    look: 'colour',
    files: 'tissue/',
    index: 0,
    face: 1,
  },
  {
    key: 'machine',
    title: 'Vectors',
    story:
      'No pictures: temperature and vibration of a machine at 24 moments, each a point in the plane. Two were too hot, one shook. This model takes the maximum over the bag and has no attention.',
    noun: 'moment',
    nouns: 'moments',
    look: 'points',
    files: 'machine/',
    index: 1,
    face: 3,
  },
];

export const first = bags[0]!;

/** The bag of a key, the first where there is no such bag. */
export const bagOf = (key: string | undefined): Prepared => bags.find((b) => b.key === key) ?? first;
