// The texts of the page about embedding.
export const embed = {
  skip: 'Skip to the page',
  title: 'Put an explained bag into your own page',
  lead:
    'Add one element, a model and a bag. Any static host can serve them, without special ' +
    'headers. Your reader’s browser computes the explanation and sends nothing anywhere.',

  builder: {
    title: 'Build the element',
    form: 'Content of the element',
    source: 'Model and bag',
    sources: {
      digits: 'Drawn digits',
      tissue: 'Drawn tissue',
      machine: 'Vectors of two sensors',
      own: 'My own files',
    },
    model: 'Model (.onnx)',
    card: 'Model card (.json), if it is a file of its own: it names the classes',
    bag: (formats: string) => `Bag (${formats})`,
    stays: 'Your browser reads these files. They stay on this machine.',
    index: 'Bag',
    method: 'Method',
    settings: 'Settings for',
    none: 'any data',
    classes: 'Classes',
    all: 'all',
    predicted: 'the predicted one',
    listed: 'these numbers',
    numbers: 'Class numbers',
    kind: 'Drawn as',
    kinds: {
      strip: 'rows',
      overlay: 'colours on the picture',
      map: 'patches at their coordinates',
      bars: 'bars',
    },
    fitting: 'automatic',
    theme: 'Theme',
    themes: { light: 'light', dark: 'dark' },
    readers: 'as the page',
    interactive: 'Interactive: the reader chooses the method and removes instances',
    preview: 'Preview',
    waiting: 'Choose a model and a bag to see their explanation here.',
    copyFrom: 'Copy this into your page',
    picture: 'Save the picture',
    pictureHint: (name: string) =>
      `The element contains it as ${name}. It is shown until the explanation is drawn, ` +
      'without script, and in print.',
    files: 'The files of this example:',
  },

  snippet: {
    alt: (names: string) => `A bag of ${names}, explained`,
    digits: 'digits',
    tissue: 'patches of tissue',
    machine: 'measurements',
    own: 'instances',
    caption: 'A plus supports a class, a minus refutes it.',
  },

  install: {
    title: 'Get the package',
    command: 'The command that installs it',
    text:
      'One npm package contains the element, the engine and the types. Without a bundler, ' +
      'copy its folder dist into your site as bagscope/.',
    policy: 'A Content-Security-Policy needs these directives:',
    policyLabel: 'Content-Security-Policy',
    size: (brotli: string, gzip: string) =>
      'The engine is loaded when the element comes near the window. The browser downloads ' +
      `about ${brotli} MB (brotli), or ${gzip} MB (gzip), once for all elements on all pages.`,
  },

  module: {
    title: 'Use it in a script',
    program: 'A program as an ES module',
    text:
      'The package is an ES module with types. Vite and webpack find the worker and the ' +
      'wasm file without configuration; for esbuild, import bagscope/embedded.',
    node: 'In Node',
    nodeProgram: 'A program for Node',
    nodeText: 'The calls are the same. This program explains every bag of a file.',
  },

  sites: {
    title: 'Use it in documentation',
    text:
      'Addresses are seen from the finished page: on a site of several folders, give the element ' +
      'base="/folder/", in which all its addresses begin. Around the element there is a <div>, ' +
      'and inside of it no empty line, so that Markdown leaves it whole. Some generators need a ' +
      'setting:',
    page: 'A page of Markdown for each of them',
    plain: 'Plain HTML',
    mkdocs: 'MkDocs',
    docusaurus: 'Docusaurus',
    astro: 'Astro Starlight',
    eleventy: 'Eleventy',
    sphinx: 'Sphinx with MyST',
    jupyter: 'Jupyter Book',
    hugo: 'Hugo',
    vitepress: 'VitePress',
  },

  stored: {
    title: 'Show the explanation without JavaScript',
    text:
      'The command bagscope, of a release or of “pip install bagscope”, explains a bag when the ' +
      'site is built. It writes HTML with the picture for light and dark pages, its words for ' +
      'readers who do not see it, and the element, which replaces the picture where there is ' +
      'JavaScript. Without the two addresses it writes the picture alone. With --out FOLDER/ the ' +
      'pictures are files beside the HTML; otherwise it contains them, and a policy must allow ' +
      '“img-src data:”.',
    command: 'The command that explains a bag for a page',
    example:
      'The example hugo/ of the repository runs it before each build, and a shortcode inserts the HTML.',
  },

  file: {
    title: 'Make a page in one file',
    command: 'The command that writes it',
    text:
      'The file contains the engine, a model and bags. Readers open it from a disk or a ' +
      'mail, and its policy forbids any request.',
  },

  reference: {
    title: 'Reference',
    attributes: 'Attributes',
    properties: 'Properties',
    events: 'Events',
    eventsHint: 'All bubble, and cross shadow roots.',
    slots: 'Slots',
    custom: 'Custom properties',
    customHint: 'Set them on the element or on an ancestor.',
    parts: 'Parts',
    partsHint: 'For ::part() in your style sheet.',
    name: 'Name',
    means: 'Meaning',
    texts:
      'The texts are in the language of the page if the element has it; assign another translation ' +
      'to BagExplainer.texts.',
  },

  /** The attributes beside options, whose texts the engine declares. */
  attributes: {
    model: 'URL of an ONNX file',
    bag: 'URL of the bag, or of a file of bags',
    card: 'URL of a model card that replaces the model’s own',
    base: 'address of the folder in which the addresses of model, bag and card begin; default: the page',
    index: 'number of the bag in the file, from 0',
    method: (names: string, usual: string) => `method: ${names}; default ${usual}`,
    settings: (names: string) => `the paper’s settings for a data set: ${names}`,
    seed: 'a whole number of at least 0; equal seeds give equal pictures',
    output: 'the explained value: prob or logit',
    classes: 'all, predicted, or numbers such as 0,2',
    kind: 'strip, overlay, map or bars; default: chosen for the bag',
    colours: 'for and against a class: blue-orange (default) or green-red',
    lang: 'language of the texts: ar, de, en, es, fr or zh; default: that of the page',
    theme: 'light or dark; default: the color-scheme of the page',
    interactive:
      'adds a menu of methods; readers select instances by a click or the arrow keys, remove them ' +
      'by a button or Delete, and see the new prediction',
    trust: 'off: the trust in the scores is not measured',
    loading: 'eager: explained at once, not when the element comes near the window',
  },
  /** An option of reading or of methods, with its default. */
  option: (help: string, standard: string) => (standard ? `${help} Default: ${standard}.` : help),

  properties: {
    model: 'the URL, bytes or a File; read and write',
    bag: 'the same for the bag',
    card: 'the same for the model card',
    inputs: 'what inputs beside the bag take, an object or a text such as age=63; read and write',
    out: 'the removed instances; read and write',
    selected: 'the framed instance, or null; read and write',
    report: 'the shown explanation, or null',
    prediction: 'the prediction of the whole bag, or null',
    'toPNG()': 'a promise of the picture as a PNG file',
  },

  events: {
    'bag-explained': 'detail: the report',
    'bag-trusted': 'detail: the trust in the scores of the shown method',
    'bag-predicted': 'detail: prediction, and out, the removed instances',
    'bag-instance': 'detail: instance, the selected one',
    'bag-progress': 'detail: done and total',
    'bag-problem': 'detail: the error; its message states the reason',
  },

  slots: {
    '(default)': 'a static picture: shown until the explanation is drawn, or if it fails',
    caption: 'the text below the picture',
  },

  custom: {
    '--bag-ink': 'text',
    '--bag-quiet': 'secondary text',
    '--bag-paper': 'background',
    '--bag-line': 'lines and the background of bars',
    '--bag-accent': 'bars of the prediction, the frame around an instance',
    '--bag-support': 'scores that support a class',
    '--bag-refute': 'scores that refute it',
    '--bag-radius': 'corners of the frame',
    '--bag-padding': 'space inside the frame',
    '--bag-font': 'font, as in the property font',
  },

  parts: {
    figure: 'the whole element with its frame',
    controls: 'the menu of methods and the button beside it',
    prediction: 'the list of classes with their bars',
    picture: 'the canvas',
    cursor: 'the frame that the keyboard moves',
    status: 'the line below the picture',
    trust: 'the trust in the scores',
    problem: 'the error message',
    table: 'all numbers',
  },
};
