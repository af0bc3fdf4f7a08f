// What the page for those who embed says.
import type { MethodName, SettingsName } from 'bagscope';

const methods: Record<MethodName, string> = {
  inherent: 'Inherent',
  single: 'Single',
  one_removed: 'One Removed',
  combined: 'Combined',
  random_shap: 'Random SHAP',
  guided_shap: 'Guided SHAP',
  random_lime: 'Random LIME',
  guided_lime: 'Guided LIME',
  milli: 'MILLI',
  consensus: 'Consensus',
};

const settings: Record<SettingsName, string> = {
  sival: 'SIVAL',
  mnist: '4-MNIST-Bags',
  crc: 'CRC',
  musk: 'Musk',
  tef: 'Tiger, Elephant and Fox',
};

export const embed = {
  skip: 'Skip to the page',
  title: 'An explained bag in your own page',
  lead: 'One element, a model and a bag: any static host will do, without special headers. Your reader’s browser computes the explanation, and nothing is sent anywhere.',

  builder: {
    title: 'Put it together',
    form: 'What the element shows',
    source: 'Model and bag',
    sources: {
      digits: 'Drawn digits',
      tissue: 'Drawn tissue',
      machine: 'Vectors of two sensors',
      own: 'Files of my own',
    },
    model: 'Model (.onnx)',
    bag: 'Bag (.npz, .npy, .csv, a picture)',
    stays: 'Your files are read here and go nowhere.',
    index: 'Bag, from 0 on',
    method: 'Method',
    methods,
    settings: 'Settings for',
    settingsNames: settings,
    none: 'any data',
    classes: 'Classes',
    all: 'all',
    predicted: 'the predicted one',
    listed: 'these numbers',
    numbers: 'Class numbers',
    kind: 'Drawn as',
    kinds: { strip: 'rows', overlay: 'colours on the picture', bars: 'bars' },
    fitting: 'what fits',
    theme: 'Theme',
    themes: { light: 'light', dark: 'dark' },
    readers: 'as the page',
    interactive: 'Interactive: the reader chooses the method, and takes instances out',
    preview: 'What your reader sees',
    waiting: 'Choose a model and a bag: they are explained here.',
    copyFrom: 'Copy this into your page',
    picture: 'Save the picture',
    pictureHint: (name: string) =>
      `It stands in the element as ${name}: shown until the explanation is drawn, without script, and in print.`,
    files: 'The files of this example:',
  },

  snippet: {
    alt: (names: string) => `A bag of ${names}, explained`,
    digits: 'digits',
    tissue: 'patches of tissue',
    machine: 'measurements',
    own: 'instances',
    caption: 'Green supports a class, red refutes it.',
  },

  code: { copy: 'Copy', copied: 'Copied', failed: 'Select it and copy by hand: the browser forbids it.' },

  install: {
    title: 'Get the package',
    command: 'The command that installs it',
    text: 'The element, the engine and the types are one npm package. Without a bundler, copy its folder dist into your site as bagscope/: its files find each other.',
    policy: 'Under a Content-Security-Policy these suffice:',
    policyLabel: 'Content-Security-Policy',
    size: 'Nothing is loaded before the element comes near the window. Then the browser downloads about 1.8 MB (brotli), or 2.5 MB (gzip), once for all elements on all pages.',
  },

  module: {
    title: 'From a script',
    program: 'A program as an ES module',
    text: 'The same package as an ES module, with types. Vite and webpack find the worker and the wasm file by themselves; for esbuild there is bagscope/embedded.',
    node: 'In Node',
    nodeProgram: 'A program for Node',
    nodeText: 'The same calls; this program explains every bag of a file.',
  },

  sites: {
    title: 'In documentation',
    text: 'Markdown lets the element through as it stands. What else a generator wants to be told:',
    plain: 'Plain HTML',
    mkdocs: 'MkDocs',
    hugo: 'Hugo',
    vitepress: 'VitePress',
  },

  file: {
    title: 'A page that is one file',
    command: 'The command that writes it',
    text: 'For a lesson or a mail: engine, model and bags inside, opened from a disk, with a policy that forbids any request.',
  },

  reference: {
    title: 'All there is to set',
    attributes: 'Attributes',
    properties: 'Properties',
    events: 'Events',
    eventsHint: 'All bubble, and cross shadow roots.',
    slots: 'Slots',
    custom: 'Custom properties',
    customHint: 'Set them on the element, or on anything around it.',
    parts: 'Parts',
    partsHint: 'For ::part() in your style sheet.',
    name: 'Name',
    means: 'Means',
    texts: 'BagExplainer.texts holds every text of the element, to be said in another language.',
  },

  attributes: {
    model: 'address of an ONNX file',
    bag: 'address of the bag, or of a file of bags',
    card: 'address of a model card, which wins over the model’s own',
    index: 'which bag of the file, counted from 0',
    method: 'consensus unless given, or any of the methods above',
    settings: 'the paper’s settings for a kind of bag: mnist, crc, sival, musk or tef',
    samples: 'how many coalitions are drawn',
    alpha: 'MILLI: how often the top-ranked instance is drawn, between 0 and 1',
    beta: 'MILLI: how the sampling curve bends',
    seed: 'a whole number from 0 on; equal seeds give equal pictures',
    output: 'what is explained: prob or logit',
    classes: 'all, predicted, or numbers such as 0,2',
    kind: 'strip, overlay or bars; otherwise what fits the bag',
    theme: 'light or dark; otherwise the color-scheme of the page',
    interactive:
      'a menu of methods; instances go out by a click or from the keyboard, and the prediction moves',
    trust: 'off: it is not measured how far the picture can be trusted',
    loading: 'eager: explained at once, and not when it comes near the window',
  },

  properties: {
    model: 'the address, or bytes, or a File; read and set',
    bag: 'likewise',
    card: 'likewise',
    out: 'the instances that are taken out; read and set',
    report: 'the explanation that is shown, or null',
    prediction: 'the prediction of the whole bag, or null',
    'toPNG()': 'a promise of the picture as a PNG file',
  },

  events: {
    'bag-explained': 'detail: the report',
    'bag-trusted': 'detail: how far the method that is shown can be trusted',
    'bag-predicted': 'detail: prediction, and out, the instances that it was made without',
    'bag-instance': 'detail: instance, the one that is looked at',
    'bag-progress': 'detail: done and total',
    'bag-problem': 'detail: the error, whose message says what is wrong',
  },

  slots: {
    '(default)': 'a static picture: shown until the explanation is drawn, and when it cannot be',
    caption: 'what stands below the picture',
  },

  custom: {
    '--bag-ink': 'text',
    '--bag-quiet': 'text that stands back',
    '--bag-paper': 'ground',
    '--bag-line': 'lines and the ground of bars',
    '--bag-accent': 'bars of the prediction, the frame about an instance',
    '--bag-support': 'scores that support a class',
    '--bag-refute': 'scores that refute it',
    '--bag-radius': 'corners of the frame',
    '--bag-padding': 'room inside of the frame',
    '--bag-font': 'type, as the property font takes it',
  },

  parts: {
    figure: 'everything, with its frame',
    controls: 'the menu of methods and the button beside it',
    prediction: 'the list of classes with their bars',
    picture: 'the canvas',
    cursor: 'the frame that the keyboard moves',
    status: 'the line below the picture',
    trust: 'how far the picture can be trusted',
    problem: 'what went wrong',
    table: 'all numbers',
  },
};
