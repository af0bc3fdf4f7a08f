// What the explorer says in English. Sentences that hold numbers or names are functions, so that a translation may
// put them in any order.
import type { MethodOption } from 'bagscope';
import { count, plain } from '../../lib/format';
import { networks } from './networks';
import { note, plural, sentence, shape, verb } from './phrases';

const IN_ROWS = 'They are shown in rows.';

export const look = {
  lastInstance: {
    title: 'One instance has to stay',
    text: 'A model needs at least one instance. Put another one back first.',
  },
  moved: (n: number, back: boolean) =>
    `${plural(n, 'instance')} ${n === 1 ? 'is' : 'are'} ${back ? 'back in' : 'out of'} the bag.`,
  outOfBag: 'out of the bag',
  /** 'instance 7 supports “an 8” by 0.31', and its verb alone. */
  sentence,
  verb,
  instanceAlone: (i: number) => `instance ${i}`,
  instance: (i: number) => `Instance ${i}`,

  place: {
    name: 'The picture, which can be zoomed',
    help: 'Arrow keys move between patches. Enter takes a patch out or puts it back. Shift with an arrow key selects a rectangle, and Enter takes out its patches. Plus and minus zoom, 0 shows everything.',
    tools: 'View of the picture',
    closer: 'Closer',
    further: 'Further away',
    all: 'All of it',
    left: 'Move left',
    right: 'Move right',
    up: 'Move up',
    down: 'Move down',
    lasso: 'Lasso',
    lassoOn: 'Draw a line around patches to take them out. If all of them are out, they are put back.',
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
    one: 'One instance',
    scores: (i: number) => `Scores of instance ${i}`,
    none: 'No explanation yet.',
    hint: 'Point at an instance below, touch it, or select it with Tab and the arrow keys to see its scores for every class.',
    isOut: 'Out of the bag.',
    label: (label: number) => `Its true label is ${label}, which the model and the method do not use.`,
  },

  strip: {
    help: 'Arrow keys go from instance to instance, Enter takes one out of the bag or puts it back. The table has all numbers.',
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
    heading: 'Patches and pixels',
    side: 'Side',
    stride: 'Stride',
    background: 'Background',
    hint: 'Side and stride are in pixels. Patches at least as bright as the background (0 to 255) are left out; 0 keeps all. The picture shows the grid.',
    again: 'Cut again',
    measuring: 'Measuring the patches …',
    counts: (kept: number, all: number, bytes: string) =>
      `${count(kept)} of ${plural(all, 'patch', 'patches')} stay; the bag takes ${bytes} of memory.`,
    vectors: (name: string, n: number) =>
      `${name} is a picture, and the model takes vectors of ${n > 0 ? count(n) : 'some'} numbers: open features of its patches, as .h5, .npz, .safetensors or .csv with coordinates, and the picture beside them`,
    none: 'No patch is left: raise the background, or set it to 0.',
    differs: 'The picture shows the new grid. The explanation is for the previous one.',
    limits: (pixels: string, side: number) =>
      `Pictures of up to ${pixels} pixels are opened, no side above ${count(side)}.`,
    refused: (side: number) => `The model takes patches of ${side} × ${side} pixels.`,
  },

  pixels: {
    heading: 'Pixels',
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
    noCard: 'the model’s card does not say: 0 to 255',
    fault: 'Enter one number for each channel, or one for all. A deviation must not be 0.',
  },

  alert: {
    close: 'Close this message',
    retry: 'Try again',
  },

  head: {
    line: 'see inside a bag',
    about:
      'The model reads a whole bag of instances and gives one prediction. The colours show each instance’s part in it:',
    plus: 'green +',
    supports: 'supports a class,',
    minus: 'red −',
    refutes: 'refutes it; grey is not distinguishable from chance.',
    skip: 'Skip to the explanation',
    drop: 'Drop to open. Nothing leaves this machine.',
  },

  foot: {
    private: 'Nothing leaves this machine.',
    how: 'Your browser reads and computes everything. After loading, a Content-Security-Policy forbids the page every request, and the page works without a network.',
    diagnosis:
      'It explains a model, not a patient. It is not a medical device and gives no diagnosis. A score shows what changed this model’s prediction, and models make mistakes.',
    bench: 'How fast is it in this browser?',
  },

  unplaced: {
    negative: `The picture is not drawn beneath the patches: some coordinates are negative. ${IN_ROWS}`,
    beyondPicture: (reach: { right: number; bottom: number }, full: { width: number; height: number }) =>
      `The picture is not drawn beneath the patches: their coordinates reach ${reach.right} × ${reach.bottom}, the picture has ${full.width} × ${full.height} pixels, and no file says how large the slide is. Add the attributes level0_width and level0_height to the features, or open the slide as a TIFF with its full size. ${IN_ROWS}`,
    beyondSlide: (reach: { right: number; bottom: number }, slide: { width: number; height: number }) =>
      `The picture is not drawn beneath the patches: their coordinates reach ${reach.right} × ${reach.bottom}, beyond the slide of ${slide.width} × ${slide.height} that the file names. ${IN_ROWS}`,
    proportions: (slide: { width: number; height: number }, full: { width: number; height: number }) =>
      `The picture is not drawn beneath the patches: it has ${full.width} × ${full.height} pixels, and the slide of ${slide.width} × ${slide.height} has other proportions. ${IN_ROWS}`,
  },

  trust: {
    of: (className: string, sentence: string) => `Trust in the map of “${className}”: ${sentence}`,
    measuring: 'Measuring how far the map can be trusted …',
    ask: 'Measure how far the map can be trusted',
  },

  legend: {
    title: 'Legend',
    /** A number of a class: "an 8: 12". */
    of: (number: string, className: string) => `${className}: ${number}`,
    shared: (unit: string, classes: number) =>
      `${unit}${classes > 1 ? `, one scale for ${classes} classes` : ''}`,
    own: (numbers: string, unit: string) => `each class on its own scale; 100 % is, in ${unit}: ${numbers}`,
    ownOne: (unit: string, className: string) => `${unit}, scaled for “${className}” alone`,
    percent: ['−100 %', '+100 %'] as const,
    largest: (difference: string, unit: string) => `${unit}; the largest difference is ${difference}`,
    neutral: (numbers: string) => `measured from the neutral point ${numbers}`,
    fromZero: '0',
    fromNeutral: 'the neutral point',
    grey: (n: number, all: number, from: string) =>
      `${count(n)} of ${count(all)} not distinguishable from ${from}`,
    range: (low: string, high: string) => `Colours from ${low} (refutes) to ${high} (supports)`,
    top: (n: number) => `bright: the ${count(n)} highest scores`,
    perClass: 'Each class on its own scale',
  },

  opening: {
    said: (names: readonly string[]) => `Opening ${names.join(' and ')} …`,
    title: 'Opening files',
    now: 'opening …',
  },

  bags: {
    before: 'Bag before',
    next: 'Next bag',
    bag: 'Bag',
    number: 'Bag number',
    opening: 'Opening the example …',
    none: 'No bag yet',
    of: (n: number, all: number) => `${n} of ${all}`,
    nameless: (i: number) => `bag ${i}`,
  },

  picture: {
    title: 'The bag and its explanation',
    how: 'Point at an instance, or touch it, to see its scores. Click it, touch it again, or press Enter to take it out of the bag.',
    yes: 'yes',
    made: (settings: readonly string[], seed: string, evaluations: number) =>
      `${settings.length > 0 ? `: ${settings.join(', ')}` : ''}, seed ${seed}. ${plural(evaluations, 'model evaluation')}`,
    fit: (r2: string, className: string) => `, surrogate R² ${r2} for “${className}”.`,
    note,
    skipped: (method: string, reason: string) => `${method} is left out: ${reason}`,
    unsigned:
      'These scores are the same for every class. They show where the model looks, and are not evidence for a class.',
  },

  prediction: {
    title: 'Prediction',
    values: 'The model’s values',
    says: (changed: boolean) => (changed ? 'The model now says' : 'The model says'),
    rest: (out: number, all: number) => `With ${out} of ${all} instances out; the mark shows the whole bag.`,
    all: (n: number, scale: string) =>
      `From all ${n} instances together${scale ? `, as ${scale} scores` : ''}.`,
    starting: 'Starting the engine …',
    computing: 'Computing the prediction …',
    nothing: 'Add a model and a bag: drop the files anywhere on this page, or choose them above.',
    needsBag: (sides: string) =>
      `${sides ? `The model takes instances of ${sides}. ` : ''}Add a bag to see its prediction.`,
    needsModel: 'Add the model that predicts this bag.',
    list: 'Prediction for each class',
    was: (value: string) => `was ${value}`,
    few: (n: number) => `Only the top ${n}`,
    more: (n: number) => `All ${n} classes`,
  },

  method: {
    title: 'Method',
    ask: 'How to score instances',
    all: 'All of them, to compare',
    cost: (cost: string) =>
      `Evaluates the model ${cost} ${cost === '1' ? 'time' : 'times'} (k instances, n samples).`,
    allHint:
      'All methods share the evaluations of the model. Methods that do not work with this model are listed.',
    drawn: 'Method drawn',
    classes: 'Classes drawn',
    allClasses: (n: number) => `All ${n}`,
  },

  settings: {
    paper: 'Settings of the paper for',
    none: 'none, the defaults',
    more: 'More settings',
    seed: 'Seed',
    seedHint: 'The same seed gives the same picture.',
    output: 'What is explained',
    probability: 'probability',
    logit: 'logit',
    standard: 'default',
  },

  fields: {
    // Texts that differ from those of the engine's declaration.
    own: {
      coalitions: { hint: 'One line of 0 and 1 for each coalition, instead of sampled coalitions.' },
    } as Partial<Record<MethodOption, { label?: string; hint?: string }>>,
    standard: 'default',
    noChoice: (text: string) => `“${text}” is not a choice`,
    noNumber: (text: string) => `“${text}” is not a number`,
    whole: 'needs a whole number',
    least: (n: number) => `needs at least ${n}`,
    most: (n: number) => `needs at most ${n}`,
    above: (n: number) => `needs more than ${n}`,
    below: (n: number) => `needs less than ${n}`,
    line: (n: number) => `line ${n} must hold only 0 and 1`,
  },

  classNames: {
    title: 'Names of the classes',
    hint: 'The picture, the tables and the saved files use these names. A saved card keeps them: drop it together with the model.',
    one: (c: number) => `Class ${c}`,
    save: 'Save card',
    reset: 'Restore names',
  },

  facts: {
    title: 'What the model expects',
    inputs: 'Inputs',
    instances: 'Instances',
    along: (axis: number, input: string) => `axis ${axis} of input “${input}”, any length`,
    outputs: 'Outputs',
    scores: 'Class scores',
    later: 'known once a bag is open',
    classes: 'Classes',
    negative: 'Negative',
    none: 'none',
    own: 'Own scores',
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
  },

  table: {
    title: 'The same in numbers',
    hint: (n: number) =>
      `${plural(n, 'instance')}, counted from 0 as in the files. + supports the class, − refutes it; grey is not distinguishable from chance. Select a column heading to sort.`,
    region: 'Scores (scrollable)',
    inBag: 'In the bag',
    move: (isOut: boolean, i: number) => `${isOut ? 'Put back' : 'Take out'} instance ${i}`,
    more: (n: number) => plural(n, 'more row'),
    first: (n: number) => `Only the first ${n} rows`,
  },

  tray: {
    out: 'Out of the bag:',
    back: (i: number) => `Put instance ${i} back`,
    whole: 'Explain the whole bag',
    left: 'Explain the rest',
    all: 'Put all back',
  },

  problems: {
    format: 'This file cannot be read',
    unsupported: 'The model needs an operator that this engine does not support',
    missing: 'A part of the model is missing',
    limit: 'This is larger than the page allows',
    setting: 'A setting is invalid',
    unavailable: 'This method does not work with this model',
    budget: 'The budget is too small',
    'non-finite': 'The model returned a value that is not a number',
    bag: 'The bag does not fit the model',
    internal: 'The engine failed',
  },

  told: {
    both: 'Both stay open: choose another bag or another model.',
    before: 'The picture shows the explanation from before.',
    unclear: 'Explained. No score is distinguishable from chance.',
    cancelled: 'Cancelled. The picture shows the explanation from before.',
    twoModels: (used: string, others: readonly string[]) =>
      `Several models were dropped. ${used} is used; to use ${others.join(' or ')}, drop it alone.`,
    emptied: 'The page is empty. Add a model and a bag.',
    openingCancelled: 'Cancelled. What was open before is still open.',
    explained: (most: string) => (most ? `Explained. Most of all, ${most}.` : 'Explained.'),
    reload: 'Reload the page to try again.',
    worker: 'One of several workers ended',
    workerHow: (reason: string) =>
      `${reason}. The other workers take over its part: explanations are complete but take longer.`,
    drop: (n: number) => `Drop ${n > 1 ? 'them' : 'it'} here, together with the model or now.`,
    needsModel:
      'The bag is open. Open the model that predicts it: drop its .onnx file anywhere on this page, or choose it above.',
    needsBag:
      'The model is open. Open a bag for it: drop the file anywhere on this page, or choose it above.',
    still: (name: string) => `${name} is still open.`,
    stays: (name: string) => `${name} stays open.`,
    moved: (i: number, back: boolean, now: string) =>
      `Instance ${i} is ${back ? 'back in' : 'out of'} the bag. ${now}`,
    allBack: (now: string) => `All instances are in the bag. ${now}`,
    now: (className: string, value: string) => `“${className}” is now at ${value}.`,
  },

  run: {
    explain: 'Explain',
    stages: {
      starting: 'Starting the engine',
      reading: 'Reading',
      decoding: 'Decoding the picture',
      cutting: 'Cutting the picture into patches',
      encoding: 'Encoding instances',
      explaining: 'Evaluating coalitions',
    },
    done: (n: number, all: number) => `${count(n)} of ${count(all)}`,
    share: (part: number) => `${Math.round(100 * part)} %`,
    left: (seconds: number) =>
      seconds < 90
        ? `, about ${plural(seconds, 'second')} left`
        : `, about ${plural(Math.round(seconds / 60), 'minute')} left`,
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
    hint: 'Explains every bag of the open file, or of several files, by the chosen method. Select a row to open its bag.',
    here: (n: number) => (n > 1 ? `Explain all ${count(n)} bags` : 'Explain this bag'),
    dropped: (n: number) => `Explain all ${plural(n, 'file')} dropped`,
    choose: 'Choose files …',
    progress: 'Bags explained',
    done: (n: number, all: number) => `${count(n)} of ${count(all)}`,
    csv: 'Table as CSV',
    json: 'Table as JSON',
    table: 'Bags and predictions',
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
    how: 'A Content-Security-Policy forbids the page every connection, and the browser enforces it. The network tab of the browser’s tools shows no requests. The page works in flight mode.',
    stored: 'Only the choice of colours is stored. Files stay in the memory of this page.',
    forget: 'Forget everything',
    ask: 'Remove the open files, the results, the settings and what the browser stored for this page?',
    remove: 'Remove all',
    keep: 'Keep',
    forgot: (names: readonly string[]) =>
      `Removed: ${[...names, 'all results and settings', 'the choice of colours'].join(', ')}. The page is empty, also after a reload.`,
    explains: 'It explains a model and is not a diagnosis.',
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
      text: 'Copy it from the address bar instead.',
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
      text: `The ${what} that is open has another SHA-256 than ${name}, which the file was saved with. The settings are used; the picture may differ.`,
    }),
    same: 'Replayed: model, data and settings are the same, to the hash.',
    broken: { title: 'This file cannot be read', text: 'It is an incomplete replay file.' },
  },

  report: {
    title: (model: string, bag: string) => `${model}: ${bag}`,
    made: (version: string) =>
      `Made by bagscope ${version} on the reader’s own machine. This file is complete: it needs no script and makes no request.`,
    notDiagnosis: 'It explains a model and is not a diagnosis.',
    prediction: 'What the model says',
    of: (n: number, out: number) =>
      `Of ${plural(n, 'instance')}${out > 0 ? `, ${count(out)} of them taken out` : ''}.`,
    explanation: 'Which instances support it',
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
    hint: 'Instances are removed in the order of their scores. With a good order the prediction falls sooner than with random orders.',
    ask: 'Measure it',
    again: 'Measure again',
    progress: 'Model evaluations of the measurement',
    figure: (method: string, className: string, aopc: number) =>
      `How “${className}” falls while instances are removed by ${method}: AOPC-R ${plain(aopc)}.`,
    axis: 'instances taken out',
    morf: 'most relevant first',
    lerf: 'least relevant first',
    random: 'at random',
    table: 'Faithfulness of all explanations',
    method: 'Method',
    class: 'Class',
    error: 'standard error',
    cost: (n: string) =>
      `${n} coalitions were evaluated; AOPC-R is the mean over 10 random orders. R² measures how well the surrogate fits the sampled coalitions.`,
  },

  preflight: {
    title: 'Do they fit?',
    nothing: 'Open a model and a bag.',
    openBag: 'Open a bag to check it.',
    openModel: 'Open a model to check it.',
    fits: 'They fit.',
    mayFit: 'Their shapes fit.',
    fitsNot: 'They do not fit.',
    offer: (n: string, sides: string, raw: boolean) =>
      `The bag offers ${n} instances, each ${sides}: ${raw ? 'pixels, which the model’s card preprocesses' : 'numbers, used as they are'}.`,
    want: (sides: string) =>
      sides ? `The model takes instances of ${sides}.` : 'The model does not say what an instance is.',
    placed: 'Instances have places, so that they are drawn on a picture.',
    unplaced: 'Instances have no places, so that they are drawn in rows.',
    axis: (axis: number, input: string, sides: string) =>
      `The bag goes into “${input}” (${sides}); its instances lie along axis ${axis}, any number of them.`,
    once: (ops: string) =>
      ops
        ? `Each instance alone, once for the bag: ${ops}.`
        : 'No part of the model treats instances alone: the whole model runs for every coalition.',
    meet: (ops: string, strategy: string, pooled: boolean) =>
      pooled
        ? `Instances meet at ${ops || 'the pooling'}: it pools by ${strategy.replaceAll('+', ' and ')}.`
        : `Instances meet at ${ops || 'the first operator'}, not by a pooling: coalitions run one by one.`,
    together: (ops: string) => `The rest is computed for all coalitions together: ${ops}.`,
    cost: (bag: string, encoded: string, ms: number) =>
      `Memory: ${bag} for the bag, ${encoded} with its encoded instances.${ms > 0 ? ` One prediction of it took ${count(ms)} ms here.` : ''}`,
    asked: (n: string, pooled: boolean) =>
      `The method evaluates up to ${n} coalitions${pooled ? ', and each costs a small part of a prediction, because they are pooled together' : ', and each runs the part of the model behind that operator'}.`,
    looking: 'Looking at how the model pools …',
    own: (output: string) =>
      `Its output “${output}” holds the model’s own instance scores: the method Inherent shows them.`,
    noOwn: 'It has no output of instance scores: the method Inherent is not available.',
  },

  sources: {
    title: 'Your model, your data',
    hint: 'Drop files anywhere on this page. They are read here and sent nowhere.',
    examples: 'Examples',
    others: 'More examples',
    empty: 'Start empty',
    model: 'Model',
    bag: 'Bag',
    noneYet: 'none yet',
    choose: 'Choose …',
    chooseOne: (what: string) => `Choose ${what.toLowerCase()}`,
    parameters: (n: number, opset: number) => `${count(n)} parameters, ONNX opset ${opset}`,
    noModel: 'an .onnx file',
    example: 'Open the bundled example',
    files: (n: number) => `${n} files`,
    none: '.npz, .npy, .h5, .safetensors, .csv, pictures',
    about: (bags: number, instances: number, sides: readonly number[]) =>
      `${plural(bags, 'bag')}; this one: ${plural(instances, 'instance')} of ${shape(sides)}`,
  },

  networks,
};
