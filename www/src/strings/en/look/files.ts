// Opening models and bags: choosing files, cutting pictures, what a model expects, whether both
// fit.
import type { Head } from 'bagscope';
import { count } from '../../../lib/format.ts';
import { capital, plural, several, shape, type Noun } from '../phrases.ts';

/** What the numbers of a head are. */
const heads = {
  classes: 'scores of classes',
  hazards: 'restricted mean survival from hazards',
  regression: 'a regression',
  grade: 'the expected grade of ordered classes',
  'at-least': 'probabilities of at least each grade',
  embedding: 'a vector',
  likeness: 'the likeness of a vector to others',
};

export const files = {
  sources: {
    title: 'Your model and data',
    hint: 'Files stay on this machine.',
    examples: 'Examples',
    empty: 'Start empty',
    model: 'Model',
    bag: 'Bag',
    noneYet: 'none yet',
    choose: 'Choose …',
    chooseOne: (what: string) => `Choose ${what.toLowerCase()}`,
    parameters: (n: number, opset: number) => `${count(n)} parameters, ONNX opset ${opset}`,
    noModel: 'an .onnx file',
    example: 'Open the bundled example',
    /** Examples that a page without files offers, by their networks. */
    tiles: [
      { network: '', name: 'Digits', about: 'Handwritten digits: is there an 8 and a 9?' },
      { network: 'tissue', name: 'Tissue', about: 'Drawn tissue: is there a gland?' },
      { network: 'nuclei', name: 'Slide', about: 'A real slide, encoded here.' },
    ],
    files: (n: number) => `${n} files`,
    about: (noun: Noun, bags: number, instances: number, sides: readonly number[]) =>
      `${plural(bags, 'bag')}; this one: ${several(noun, instances)} of ${shape(sides)}`,
  },

  folds: {
    title: 'Models',
    whole: (noun: Noun) => `Models, with all ${noun.several}`,
    mean: (n: number) => `Mean of ${n}`,
    hint: 'What the mean and each model give this bag.',
    agree: (n: number, all: number) => `${n} of ${all} ${n === 1 ? 'agrees' : 'agree'} on the sign`,
    agreeHint: 'How many of the models give the sign of the mean.',
    between: (spread: string) => `± ${spread} between them`,
    models: 'Models',
    which: 'Which model is meant?',
    one: 'One model',
    differ: 'Models that take the same bags and have the same classes are explained as one.',
  },

  opening: {
    said: (names: readonly string[]) => `Opening ${names.join(' and ')} …`,
    title: 'Opening files',
    now: 'opening …',
    again: 'Reading the open files again …',
  },

  truth: {
    inside: (n: number, all: number, name: string) =>
      `${count(n)} of ${plural(all, 'patch', 'patches')} ${n === 1 ? 'lies' : 'lie'} in annotations ` +
      `of ${name}. The metrics under Trust compare with them.`,
    of: (name: string) => `Truth of the patches: ${name}.`,
    leave: 'Remove the truth',
  },

  cut: {
    title: 'How the picture is cut',
    heading: 'Patches and pixels',
    side: 'Side',
    stride: 'Stride',
    background: 'Background',
    hint:
      'Side and stride are in pixels. Patches at least as bright as the background (0 to ' +
      '255) are left out; 0 keeps all. The picture shows the grid.',
    again: 'Cut again',
    measuring: 'Measuring the patches …',
    counts: (kept: number, all: number, bytes: string) =>
      `${count(kept)} of ${plural(all, 'patch', 'patches')} ${kept === 1 ? 'is' : 'are'} used; ` +
      'the bag takes ' +
      `${bytes} of memory.`,
    vectors: (name: string, n: number) =>
      `${name} is a picture, but the model takes vectors of ${n > 0 ? count(n) : 'some'} ` +
      'numbers. Open features of its patches as .h5, .npz, .safetensors or .csv with ' +
      'coordinates, together with the picture',
    none: 'All patches are background. Increase the background value, or set it to 0.',
    differs: 'The picture shows the new grid. The explanation is for the previous one.',
    limits: (pixels: string, side: number) =>
      `The page opens pictures of up to ${pixels} pixels with no side above ${count(side)}.`,
    refused: (side: number) => `The model takes patches of ${side} × ${side} pixels.`,
  },

  choices: {
    arrays: 'Which array holds the features?',
    several: (file: string, missed?: string) =>
      missed
        ? `${file} has no array ${missed}. It has these:`
        : `${file} holds several arrays that can be the features. Choose one of them.`,
    features: 'Features',
    array: (sides: readonly number[], fits: boolean) =>
      shape(sides) + (fits ? ', fits the model' : ''),
    asks: 'How is the file meant?',
    answers: 'What is right',
    answer: (meaning: string) => meaning.charAt(0).toUpperCase() + meaning.slice(1),
    strides: 'Stride',
    stride: (stride: number) => `${count(stride)} pixels`,
    patches: (n: number) => plural(n, 'patch', 'patches'),
  },

  columns: {
    title: 'Columns of the table',
    hint: 'What each column is taken for. Another choice reads the bag again; save the card to keep it.',
    column: 'Column',
    rows: 'First rows',
    taken: 'Taken for',
    of: (name: string) => `What ${name} holds`,
    asked: 'Choose',
    named: 'What its name says',
    more: (n: number) => `${plural(n, 'more column', 'more columns')} not shown.`,
    reset: 'Restore columns',
    roles: {
      feature: 'Feature',
      skip: 'Ignored',
      bag: 'Id of the bag',
      name: 'Name of the bag',
      label: 'Label of the bag',
      instance_label: 'Label of the instance',
      x: 'Place, x',
      y: 'Place, y',
      width: 'Width',
      height: 'Height',
    } as Record<string, string>,
  },

  inputs: {
    title: 'Inputs beside the bag',
    asks: 'What does the model take beside the bag?',
    missing: (name: string) =>
      `The model takes ${name} of each bag, and this bag does not state it. ` +
      'Enter it above the picture.',
    numbers: (name: string, n: number) => `${name} (${plural(n, 'number')}, separated by commas)`,
    from: {
      user: 'entered here',
      file: 'from the file',
      card: 'from the model’s card',
      none: 'not stated',
    },
    reference: 'Reference',
    referenceHint:
      'mean, over the bags of the file, or values, such as age=50: what the inputs add to it',
    adds: (input: string, adds: string, className: string, reference: string) =>
      `${input}: adds ${adds} to ${className}, compared with ${reference}.`,
    fault: (n: number) => `Enter ${plural(n, 'number')}, such as ${Array(Math.min(n, 3)).fill(0)}.`,
  },

  target: {
    title: 'Target of the likeness',
    asks: 'This model returns a vector. Alike to what?',
    compared: (names: string[]) => `Scores are of the likeness to ${names.join(', ')}.`,
    file: 'A vector, or prototypes of classes',
    another: 'Another bag',
    bag: 'Alike to this bag',
    other: (name: string) => `${name}: what makes it like the open bag`,
    none: 'Remove',
  },

  pool: {
    title: 'How are the answers combined?',
    text: (noun: Noun) =>
      `This model seems to judge each ${noun.one} by itself. Choose how its answers become that ` +
      `of the bag: all scores are explained under this rule. If the ${noun.several} lie along ` +
      'another axis, the model’s card has to state it.',
    how: 'Answer for the bag',
    mean: 'The mean of all',
    max: 'The highest',
    'top:10': 'The mean of the 10 highest',
    'noisy-or': 'At least one, from probabilities',
    lse: 'Between mean and highest',
    vote: 'The share of votes',
  },

  pixels: {
    heading: 'Pixels',
    title: 'Scale pixels',
    card: 'as the model’s card states',
    none: '0 to 255, unchanged',
    unit: 'to 0 to 1',
    imagenet: 'by ImageNet’s mean and deviation',
    own: 'by other numbers',
    scale: 'Scale',
    mean: 'Mean',
    std: 'Deviation',
    apply: 'Apply',
    range: (ranges: string) => `The model gets ${ranges}.`,
    channel: (name: string, low: string, high: string) => `${name} ${low} to ${high}`,
    colours: ['red', 'green', 'blue'],
    grey: 'values from',
    noCard: 'not stated by the model’s card: 0 to 255',
    fault: 'Enter one number for each channel, or one for all. A deviation must not be 0.',
  },

  facts: {
    title: 'What the model expects',
    inputs: 'Inputs',
    instances: (noun: Noun) => capital(noun.several),
    along: (axis: number, input: string) => `axis ${axis} of input “${input}”, any length`,
    outputs: 'Outputs',
    scores: 'Class scores',
    later: 'known after a bag is opened',
    classes: 'Classes',
    negative: 'Negative class',
    none: 'none',
    own: 'Its own scores',
    noOwn: 'none: the method Inherent is not available',
    patches: 'Patches',
    patch: (size: number, stride: number) => `${size} pixels every ${stride}`,
    operators: 'Operators',
    opset: (operators: string, opset: number) => `${operators} (opset ${opset})`,
    nothing: 'No model is open.',
    scales: {
      logits: 'logits; softmax makes them probabilities',
      'sigmoid-logits': 'logits; a sigmoid of each makes it a probability',
      probabilities: 'probabilities',
      'log-probabilities': 'logarithms of probabilities',
      raw: 'raw scores, not probabilities',
    },
    head: (h: Head) =>
      `${h.name ? `${h.name}: ` : ''}${heads[h.kind]}${h.unit ? `, in ${h.unit}` : ''}`,
  },

  preflight: {
    title: 'Do model and bag fit?',
    nothing: 'Open a model and a bag.',
    openBag: 'Open a bag to check it.',
    openModel: 'Open a model to check it.',
    fits: 'They fit.',
    mayFit: 'Their shapes fit.',
    fitsNot: 'They do not fit.',
    offer: (noun: Noun, n: number, sides: string, raw: boolean) =>
      `The bag has ${several(noun, n)}, each ${sides}: ` +
      `${raw ? 'pixels, which the model’s card preprocesses' : 'numbers, used unchanged'}.`,
    want: (noun: Noun, sides: string) =>
      sides
        ? `The model takes ${noun.several} of ${sides}.`
        : `The model does not state the shape of one ${noun.one}.`,
    encoded: (sides: string) =>
      `Layers of the model have made these numbers of patches of ${sides}.`,
    placed: (noun: Noun) => `${capital(noun.several)} have coordinates and are drawn on a picture.`,
    unplaced: (noun: Noun) => `${capital(noun.several)} have no coordinates and are drawn in rows.`,
    axis: (noun: Noun, axis: number, input: string, sides: string) =>
      `The bag goes into “${input}” (${sides}); axis ${axis} is the axis of ${noun.several} ` +
      'and has any length.',
    once: (noun: Noun, ops: string) =>
      ops
        ? `These operators run once for the bag, on each ${noun.one} alone: ${ops}.`
        : `No part of the model runs on ${noun.several} alone: the whole model runs for every ` +
          'coalition.',
    meet: (noun: Noun, ops: string, strategy: string, pooled: boolean) =>
      pooled
        ? `The pooling ${ops ? `(${ops}) ` : ''}mixes ${noun.several}: ` +
          `${strategy.replaceAll('+', ' and ')}.`
        : `${ops || 'The first operator'} mixes ${noun.several} without a pooling: coalitions ` +
          'run one by one.',
    together: (ops: string) => `The rest runs for all coalitions together: ${ops}.`,
    cost: (noun: Noun, bag: string, encoded: string, ms: number) =>
      `Memory: ${bag} for the bag, ${encoded} with its encoded ` +
      `${noun.several}.${ms > 0 ? ` One prediction of it took ${count(ms)} ms here.` : ''}`,
    asked: (n: string, pooled: boolean) =>
      `The method evaluates up to ${n} coalitions. ` +
      (pooled
        ? 'Each costs a small part of a prediction, because they are pooled together.'
        : 'Each runs the part of the model from the mixing operator on.'),
    looking: 'Checking how the model pools …',
    own: (noun: Noun, output: string) =>
      `Its output “${output}” holds the model’s own scores of ${noun.several}: the method ` +
      'Inherent shows them.',
    noOwn: (noun: Noun) =>
      `It has no output of scores of ${noun.several}: the method Inherent is not available.`,
  },
};
