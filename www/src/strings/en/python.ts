// The texts of the page about the Python package. Tables come from the package's README.
export const python = {
  skip: 'Skip to the page',
  title: 'Explain models of bags in Python',
  lead:
    'The package explains ONNX files, models of PyTorch and any function of a bag. It runs the ' +
    'engine of this site as a program on your machine, and sends nothing anywhere.',

  install: {
    title: 'Install',
    command: 'The command that installs it',
    text:
      'A wheel contains the engine for Linux, macOS or Windows. NumPy is the only dependency. ' +
      'Plots need matplotlib, data frames pandas, progress bars tqdm, and the widget anywidget.',
    extras: 'The command that installs these too',
  },

  explain: {
    title: 'Explain a bag in five lines',
    program: 'A program that explains a bag',
    output: 'What it prints',
    text:
      'Scores are positive where an instance supports a class, and negative where it refutes ' +
      'it. `e.stderr` holds their standard errors, if the method samples, and `e.missed` what ' +
      'the strongest instances do by themselves and what this bag loses without them.',
    alt: 'A bag of digits in rows, one for each class: the 8s and the 9s have a plus',
    caption: 'What `e.save("e.png")` writes. A plus supports a class, a minus refutes it.',
  },

  bags: {
    title: 'Pass a bag',
    program: 'A program that explains features with places',
    text:
      'A bag is an array (k, ...) of k instances: a NumPy array, a tensor, a list, or the path of ' +
      'a file. Of an AnnData object, `X` holds the instances and `obsm["spatial"]` their places. ' +
      'A `Bag` adds places, labels or a name, and is encoded once for several explanations.',
  },

  export: {
    title: 'Export a PyTorch model',
    program: 'A program that exports a module',
    text:
      '`export` writes the ONNX file and its model card, and then compares the file with the ' +
      'module for bags of 1, 2, 7 and 64 instances. `model.proof` has the largest difference.',
    wrong:
      'Exporters write what Python computed from the size of the example as a constant. The file ' +
      'then fails for bags of other sizes, or returns wrong scores. These are frequent causes:',
    causes: [
      'a loop over the instances, or a condition on their number',
      '`len()`, `int()`, `.item()` and `math` on sizes and values',
      'layers with a fixed number of instances, such as `AdaptiveMaxPool1d`',
      'dropout or sampling that stays random in evaluation mode',
    ],
    found: 'The error names the layer and the line, and states what to write instead:',
    wrongProgram: 'A program whose export fails',
    message: 'Its message',
    tried: 'Architectures that were tried',
    triedText:
      'Untrained modules; “proved” means equal scores for bags of 1, 2, 7 and 64 instances.',
    encoders: 'Encoders of pictures that were tried',
    encodersText:
      'timm and torchvision, with a gated attention network behind them: each picture is encoded once for a bag.',
    estimator: 'Export a scikit-learn classifier',
    estimatorText:
      'A classifier scores instances. `pool` combines their probabilities to those of the bag.',
    estimatorProgram: 'A program that exports a classifier',
  },

  functions: {
    title: 'Explain a function',
    program: 'A program that explains a function',
    text:
      'The function is called with parts of the bag, from which the other instances are ' +
      'removed. With `batch=True` it takes a list of bags. The methods `single` and ' +
      '`one_removed` need one call for each instance; sampling methods need hundreds.',
    gameText:
      '`game` turns it around: it returns the scores of coalitions, so that estimators of other ' +
      'packages run on the engine.',
    game: 'A program that computes the scores of coalitions',
  },

  slides: {
    title: 'Explain whole slides',
    program: 'A program that encodes and explains a slide',
    text:
      '`tiles` lays patches over the tissue of a slide and writes their features in TRIDENT’s ' +
      'form. An interrupted call is continued by the same call. The encoder is an ONNX file; ' +
      '`explain`, `predict` and `evaluate` take it as `encoder=`, or the model card names it.',
  },

  whatif: {
    title: 'Find what decides a prediction',
    program: 'A program that asks for sets, pairs, changes, parts and checks',
    text:
      '`sets` finds the smallest sets of instances that decide the prediction, `pairs` the ' +
      'instances that act together, and `whatif` the fewest instances to remove, or to add from ' +
      'another bag, that turn it. `inside` scores the parts of one instance, and `check` states ' +
      'how far a map depends on what the model has learnt. Each result has arrays, a data frame, ' +
      'and a table in notebooks.',
  },

  evaluate: {
    title: 'Evaluate explanations',
    program: 'A program that compares methods',
    text:
      '`evaluate` computes NDCG@n where instances have labels, AOPC-R and SRG. Scores of other ' +
      'programs are judged beside the methods.',
    planText: '`plan` and `inspect` return what runs once for a bag, and what for each coalition.',
    plan: 'A program that prints the plan of a model',
  },

  notebooks: {
    title: 'Show it in a notebook',
    program: 'A cell of a notebook',
    text:
      'An explanation at the end of a cell is a widget, which computes in the page and makes no ' +
      'request. Readers choose the method and remove instances; `w.selected` and `w.removed` ' +
      'change with them. The picture stays in the saved notebook.',
    element: 'Try the element of which the widget is made.',
  },

  errors: {
    title: 'Handle errors',
    program: 'A program that catches an error',
    text: 'Every exception is a `BagscopeError`. Its message states what to do.',
    table: 'All exceptions',
  },

  processes: {
    title: 'Processes and threads',
    items: [
      'The engine is one child process. It starts with the first call, uses all cores and opens ' +
        'no socket.',
      'Threads may call at the same time, and a forked process starts an engine of its own.',
      'Ctrl-C cancels a call. If the engine ends, the call raises an `EngineError`, and the next ' +
        'call starts a new one.',
      'Equal calls with an equal `seed` give equal results, which are those of the command line.',
    ],
  },

  commands: {
    title: 'Use the command line',
    text: 'The package contains the command `bagscope`, which serves models over HTTP, too.',
    table: 'Commands and their functions',
  },
};
