// From a slide to a bag: tissue, the grid of patches, their encoder.
import { count, plain } from '../../lib/format.ts';
import { plural } from './phrases.ts';

const duration = (seconds: number) =>
  seconds < 90
    ? plural(Math.max(1, Math.round(seconds)), 'second')
    : seconds < 5400
      ? plural(Math.round(seconds / 60), 'minute')
      : plural(Math.round(seconds / 3600), 'hour');

export const tiling = {
  title: 'Patches of the slide',
  form: 'How patches are laid',
  encoder: 'Encoder',
  noEncoder: 'none',
  choose: 'Choose an encoder …',
  needsModel: 'Open a model to explain the patches, too.',
  needsEncoder: (d: number) =>
    `The model takes ${count(d)} features of each patch. Choose the .onnx file of the encoder that ` +
    'they are made by, or drop it with the model.',
  notONNX:
    'None of the chosen files is an .onnx file. Choose the encoder’s, and with it the files in ' +
    'which it keeps tensors.',
  together: (n: number) => `Choose ${n > 1 ? 'them' : 'it'} together with the encoder.`,
  named: (name: string) => `Its card names the encoder ${name}.`,
  pixels: 'The model takes pictures and encodes them itself.',
  device: {
    use: 'Encode on the graphics processor',
    how:
      'The page opens again with a program for it: choose your files again. The CPU is the default ' +
      'because no real graphics processor has been measured in a browser yet.',
    used:
      'The graphics processor encodes where it should be faster. The CPU computes two patches ' +
      'again, and encodes if they differ.',
    none: 'This browser has no graphics processor for pages. The CPU encodes.',
    leave: 'Encode on the CPU alone',
  },
  size: 'Side in pixels',
  microns: 'Microns a pixel',
  unknown: 'not stated',
  overlap: 'Overlap in pixels',
  least: 'Least tissue in %',
  threshold: 'Tissue from saturation',
  auto: (n: number) => (n > 0 ? `${n}, found` : ''),
  find: 'Find it',
  whole: 'Patches without tissue, too',
  files: {
    title: 'Tissue and patches from files',
    forms:
      'Tissue: a mask (PNG or TIFF, black where nothing is marked), GeoJSON, or XML of ASAP, Aperio ' +
      'or HALO. Patches: .h5 of CLAM, TRIDENT or STAMP, or a table with columns x and y.',
    tissue: 'Tissue',
    exclude: 'Left out',
    places: 'Patches',
    none: 'no file',
    choose: 'Choose …',
    chooseOne: (role: string) => `${role}: choose a file`,
    leave: 'Remove',
    leaveOne: (role: string) => `${role}: remove the file`,
  },
  dropped: {
    asks: 'What is this file?',
    what: (name: string, kind: 'annotations' | 'mask') =>
      kind === 'mask' ? `${name} is a mask of the slide.` : `${name} has annotations of the slide.`,
    use: 'Use it as',
    truth: { label: 'Truth', about: 'compare scores with it' },
    tissue: { label: 'Tissue', about: 'lay patches on it' },
    exclude: { label: 'Left out', about: 'lay no patches on it' },
    picture: { label: 'A picture', about: 'open it instead of the slide' },
    used: (role: string, name: string) => `${role}: ${name}.`,
    noSlide: (name: string) =>
      `${name} states something of the patches of a slide. Open the slide first.`,
  },
  regions: {
    title: 'Left out by hand',
    count: (n: number) => (n === 0 ? 'nothing' : plural(n, 'region')),
    draw: 'Draw',
    undo: 'Undo the last',
    how:
      'Draw a line on the slide around what is left out. On the keyboard: arrow keys move a cross, ' +
      'Enter sets two corners of a rectangle, Control+Z undoes, and Escape ends.',
    pen: 'Region that is left out: arrow keys, Enter, Escape',
    corner: 'The first corner is set.',
    cross: (across: number, down: number) =>
      `${plain(across, 0)} % across, ${plain(down, 0)} % down`,
    /** What the engine calls them where it says what lies in them. */
    name: 'regions drawn on the slide',
  },
  micronsMissing: 'Neither model states the microns that a pixel of a patch covers. Enter them.',
  sizeMissing: 'Neither model states the side of a patch. Enter it.',
  laying: 'Laying patches …',
  laid: (n: number, share: number, method: string, threshold: number) =>
    `${plural(n, 'patch', 'patches')}. Tissue: ${plain(100 * share, 1)} % of the slide ` +
    `(${method}${threshold > 0 ? ` ${threshold}` : ''}).`,
  measuring: 'Measuring the time …',
  cost: (seconds: number) => `All together take about ${duration(seconds)}.`,
  begin: 'Encode',
  goOn: 'Go on',
  encoding: (done: number, total: number) => `${count(done)} of ${count(total)} patches`,
  left: (seconds: number) => `, about ${duration(seconds)} left`,
  stop: 'Stop',
  done: (done: number, total: number) =>
    done === total
      ? `All ${plural(total, 'patch is', 'patches are')} encoded.`
      : `${count(done)} of ${count(total)} patches are encoded and kept.`,
  show: 'Explain them',
  save: 'Save features',
  resume: 'Go on from a file …',
  resumed: (done: number, name: string) => `${plural(done, 'patch', 'patches')} of ${name}.`,
  stages:
    'The map appears three times: when every fourth patch across and down is encoded, when every ' +
    'second one is, and at the end.',
  stopped: (done: number) => `Stopped. ${plural(done, 'patch is', 'patches are')} kept.`,
  note: (n: number, total: number) =>
    `${count(n)} of the ${count(total)} patches of the slide, spread evenly. The others are not ` +
    'encoded yet.',
};
