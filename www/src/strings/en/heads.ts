// What the heads of the pages and the site's manifest state.

export const heads = {
  pages: {
    learn: {
      title: 'See inside a bag: multiple-instance learning, explained',
      description:
        'A short interactive article on explaining multiple-instance-learning models: which ' +
        'instances of a bag matter, and which class each supports or refutes.',
    },
    look: {
      title: 'bagscope: see inside a bag',
      description:
        'See which instances of a bag matter to a multiple-instance-learning model, and for ' +
        'which class. It runs in your browser; nothing leaves your machine.',
    },
    embed: {
      title: 'Embed: an explained bag in your own page',
      description:
        'Put an explained bag into a page of your own: one element, a model and a bag, from any ' +
        'static host. Try it, copy it.',
    },
    python: {
      title: 'Python: explain models of bags from PyTorch, ONNX and functions',
      description:
        'Explain models of bags in Python: install, export from PyTorch, functions, evaluation, ' +
        'notebooks.',
    },
  },
  fromDisk:
    'This page was opened from a disk, where browsers let it show and not compute. Open ' +
    'lesson.html or look.html of the release for a stick, or serve this folder and open the ' +
    'address that this command prints:',
  noScript: 'This page computes in your browser and needs JavaScript and WebAssembly.',
  manifest: {
    name: 'bagscope: see inside a bag',
    description:
      'Which instances of a bag matter to a multiple-instance-learning model, and which class ' +
      'each supports or refutes.',
  },
};
