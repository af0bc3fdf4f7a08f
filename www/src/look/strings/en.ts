// What the explorer says in English. Sentences that hold numbers or names are functions, so that a translation may
// put them in any order.
import { count, plural, shape } from '../../lib/format';

export const en = {
  lastInstance: {
    title: 'One instance has to stay',
    text: 'A model takes no empty bag. Put another one back first.',
  },
  moved: (n: number, back: boolean) =>
    `${plural(n, 'instance')} ${n === 1 ? 'is' : 'are'} ${back ? 'back in' : 'out of'} the bag.`,
  outOfBag: 'out of the bag',
  instance: (i: number) => `Instance ${i}`,

  place: {
    name: 'The picture, which can be zoomed',
    help: 'Arrow keys go from patch to patch, Enter takes one out or puts it back. Shift with an arrow key draws a rectangle, of which Enter takes all patches out. Plus and minus zoom, 0 shows everything.',
    tools: 'View of the picture',
    closer: 'Closer',
    further: 'Further away',
    all: 'All of it',
    left: 'Move left',
    right: 'Move right',
    up: 'Move up',
    down: 'Move down',
    lasso: 'Lasso',
    lassoOn: 'Draw a line about patches: they are taken out, or put back where all of them are out.',
    strength: 'Colour',
    top: 'Only the top',
    topNone: 'all patches',
    topSome: (n: number) => `${n} patches`,
    classOn: 'Class on the picture',
    shown: 'How the bag is shown',
    asPicture: 'On the picture',
    asStrip: 'Patches in rows',
    rectangle: (n: number) =>
      `A rectangle of ${plural(n, 'patch', 'patches')}. Enter takes them out or puts them back.`,
    zoomed: (percent: number) => `${count(percent)} %`,
  },

  card: {
    takeOut: 'Take out',
    putBack: 'Put back',
  },

  strip: {
    help: 'Arrow keys go from instance to instance, Enter takes one out of the bag or puts it back. The table holds all numbers.',
    table: 'The table below has all numbers.',
    strongest: (n: number, all: number) =>
      `The ${count(n)} strongest of ${count(all)} instances are drawn; the table has all.`,
  },

  list: {
    title: 'By support',
    hint: (className: string) => `The patches that support “${className}” most come first.`,
    more: (n: number) => plural(n, 'more patch', 'more patches'),
    fewer: 'Fewer',
    show: (i: number) => `Show instance ${i} on the picture`,
  },

  cut: {
    title: 'How the picture is cut',
    side: 'Side',
    stride: 'Stride',
    background: 'Background',
    hint: 'Side and stride in pixels. Patches at least as bright as the background, 0 to 255, are left out; 0 keeps all. The grid on the picture follows at once.',
    again: 'Cut again',
    measuring: 'Measuring the patches …',
    counts: (kept: number, all: number, bytes: string) =>
      `${count(kept)} of ${plural(all, 'patch', 'patches')} stay: ${bytes} of pixels.`,
    none: 'No patch stays: raise the background, or set it to 0.',
    differs: 'The picture shows this grid; the explanation is still of the one before.',
    limits: (pixels: string, side: number) =>
      `Pictures of up to ${pixels} pixels are opened, no side above ${count(side)}.`,
    refused: (side: number) => `The model takes patches of ${side} × ${side} pixels.`,
  },

  pixels: {
    title: 'Pixels become',
    card: 'as the model’s card says',
    none: '0 to 255, as they are',
    unit: '0 to 1',
    imagenet: 'ImageNet’s mean and deviation',
    own: 'own numbers',
    scale: 'Scale',
    mean: 'Mean',
    std: 'Deviation',
    apply: 'Use these',
    range: (ranges: string) => `The model gets ${ranges}.`,
    channel: (name: string, low: string, high: string) => `${name} ${low} to ${high}`,
    colours: ['red', 'green', 'blue'],
    grey: 'values from',
    noCard: 'the model’s card says nothing: 0 to 255',
    fault: 'One number for each channel, or one for all; a deviation is not 0.',
  },

  sources: {
    none: '.npz, .npy, .h5, .safetensors, .csv, pictures',
    about: (bags: number, instances: number, sides: readonly number[]) =>
      `${plural(bags, 'bag')}; this one: ${plural(instances, 'instance')} of ${shape(sides)}`,
  },
};
