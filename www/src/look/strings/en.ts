// What the explorer says in English. Sentences that hold numbers or names are functions, so that a translation may
// put them in any order.
import { count, plain, plural, shape } from '../../lib/format';

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

  alert: {
    close: 'Close this message',
    retry: 'Try again',
  },

  run: {
    cancel: 'Cancel',
  },

  compare: {
    with: 'Beside it',
    nothing: 'nothing',
    class: 'Class beside it',
    one: (method: string, className: string) => `${method}: “${className}”`,
    missing: 'The report does not hold this yet.',
  },

  batch: {
    title: 'Many bags',
    hint: 'Every bag of the open file, or of several files, by the method of the form. A row opens its bag.',
    here: (n: number) => (n > 1 ? `Explain all ${count(n)} bags` : 'Explain this bag'),
    dropped: (n: number) => `Explain all ${plural(n, 'file')} dropped`,
    choose: 'Choose files …',
    progress: 'Bags explained',
    done: (n: number, all: number) => `${count(n)} of ${count(all)}`,
    csv: 'Table as CSV',
    json: 'Table as JSON',
    table: 'Bags and what the model says of them',
    bag: 'Bag',
    instances: 'Instances',
    says: 'The model says',
    top: 'Strongest instances',
    most: (n: string) => `The first ${n} rows are shown; the files hold all.`,
  },

  privacy: {
    title: 'What leaves this machine: nothing',
    loading: (n: number) => `${plural(n, 'request')} so far, to load the page.`,
    sealed: (before: number, since: number) =>
      `${plural(before, 'request')} loaded the page; ${since === 0 ? 'none' : count(since)} since.`,
    refused: (n: number) => `The browser refused ${plural(n, 'attempt')} to connect.`,
    how: 'The page has forbidden itself every connection by a Content-Security-Policy, which the browser enforces: the network tab of its tools shows the same. It works in flight mode.',
    stored: 'Nothing is stored but the choice of colours. Files stay in the memory of this page.',
    forget: 'Forget everything',
    forgot: 'Everything of yours is forgotten; the page shows its example.',
    explains: 'It explains a model, and is no diagnosis.',
  },

  save: {
    title: 'Save',
    png: 'PNG',
    svg: 'SVG',
    json: 'JSON',
    csv: 'CSV',
    report: 'Report',
    replay: 'Replay file',
    replayHint: 'Replayed: drop the file with its model and bag',
    link: 'Copy link',
    copied: 'Copied',
    linkSaid: 'The link is copied.',
    linkFault: {
      title: 'The link could not be copied',
      text: 'Copy it from the address bar: it says the same.',
    },
    tooLarge:
      'the picture is too large for a file of its own; zoom in and save a part of it, or save the SVG',
  },

  replay: {
    wait: (what: string) => ({
      title: 'This file replays an explanation',
      text: `Drop ${what} with it, or now.`,
    }),
    model: (name: string) => `its model, ${name}`,
    bag: (names: string) => `its data, ${names}`,
    and: ' and ',
    other: (what: string, name: string) => ({
      title: 'This is not the same explanation',
      text: `The ${what} that is open has another SHA-256 than ${name}, which the file was saved with. The settings are taken over; the picture may be another.`,
    }),
    same: 'Replayed: model, data and settings are the same, to the hash.',
    broken: { title: 'This file cannot be read', text: 'It is a replay file with parts missing.' },
  },

  report: {
    title: (model: string, bag: string) => `${model}: ${bag}`,
    made: (version: string) =>
      `Made by bagscope ${version} on the reader’s own machine. This file holds everything, needs no script and asks for nothing.`,
    notDiagnosis: 'It explains a model, and is no diagnosis.',
    prediction: 'What the model says',
    of: (n: number, out: number) =>
      `Of ${plural(n, 'instance')}${out > 0 ? `, ${count(out)} of them taken out` : ''}.`,
    explanation: 'Which instances say so',
    strongest: 'The strongest instances',
    table: 'All scores',
    how: 'How it was made',
    hash: 'SHA-256',
    data: 'Data',
    model: 'Model',
    method: 'Method',
    seed: 'Seed',
    notes: 'Notes',
    faithful: 'How faithful it is',
    class: 'Class',
    value: 'Value',
    instance: 'Instance',
  },

  judge: {
    title: 'Is it faithful?',
    hint: 'Instances go in the order of their scores, and the prediction is watched: a good order makes it fall sooner than random ones do.',
    ask: 'Measure it',
    again: 'Measure again',
    progress: 'Model evaluations of the measurement',
    figure: (method: string, className: string, aopc: number) =>
      `How “${className}” falls while instances go by ${method}: AOPC-R ${plain(aopc)}.`,
    axis: 'instances taken out',
    morf: 'most relevant first',
    lerf: 'least relevant first',
    random: 'at random',
    table: 'Faithfulness of all explanations',
    method: 'Method',
    class: 'Class',
    error: 'standard error',
    cost: (n: string) =>
      `${n} coalitions were evaluated; AOPC-R is the mean over 10 random orders. R² says how well the surrogate fits what was sampled.`,
  },

  preflight: {
    title: 'Do they fit?',
    nothing: 'Open a model and a bag.',
    fits: 'They fit.',
    mayFit: 'Their shapes fit.',
    fitsNot: 'They do not fit.',
    offer: (n: string, sides: string, raw: boolean) =>
      `The bag offers ${n} instances of ${sides}, ${raw ? 'pixels that the model’s preprocessing has yet to see' : 'numbers that are taken as they are'}.`,
    want: (sides: string) =>
      sides ? `The model wants instances of ${sides}.` : 'The model does not say what an instance is.',
    placed: 'Instances have places, so that they are drawn on a picture.',
    unplaced: 'Instances have no places, so that they are drawn in rows.',
    axis: (axis: number, input: string, sides: string) =>
      `The bag goes into “${input}” (${sides}); its instances lie along axis ${axis}, any number of them.`,
    once: (ops: string) =>
      ops
        ? `Each instance alone, once for the bag: ${ops}.`
        : 'Nothing treats an instance alone: all of the model runs for every coalition.',
    meet: (ops: string, strategy: string, pooled: boolean) =>
      pooled
        ? `Instances meet at ${ops || 'the pooling'}: it pools by ${strategy.replaceAll('+', ' and ')}.`
        : `Instances meet at ${ops || 'the first operator'}, in a way that is no plain pooling: coalitions run one by one.`,
    together: (ops: string) => `What follows is computed for all coalitions at once: ${ops}.`,
    cost: (bag: string, encoded: string, ms: number) =>
      `Memory: ${bag} for the bag, ${encoded} with what is kept of its instances.${ms > 0 ? ` One prediction of it took ${count(ms)} ms here.` : ''}`,
    asked: (n: string, pooled: boolean) =>
      `The method asks for up to ${n} coalitions${pooled ? ', which pooled at once cost a small part of a prediction each' : ', and each costs what follows the meeting of instances'}.`,
    looking: 'Looking at how the model pools …',
    own: (output: string) =>
      `Its output “${output}” holds scores of its own for instances: the method Inherent shows them.`,
    noOwn: 'It has no scores of its own for instances: the method Inherent is not available.',
  },

  sources: {
    none: '.npz, .npy, .h5, .safetensors, .csv, pictures',
    about: (bags: number, instances: number, sides: readonly number[]) =>
      `${plural(bags, 'bag')}; this one: ${plural(instances, 'instance')} of ${shape(sides)}`,
  },
};
