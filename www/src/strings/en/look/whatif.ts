// The texts of what-ifs.
import { count, number, percent, plain, signed } from '../../../lib/format.ts';
import { capital, one, plural, several, type Noun } from '../phrases.ts';

/** How many disjoint sets give the same answer, in words. */
const ways = ['No way', 'One way', 'Two ways', 'Three ways'];

/** Instances whose parts are hidden together: one by its name, or how many. */
const those = (noun: Noun, of: readonly number[]) =>
  of.length === 1 ? one(noun, of[0]!) : several(noun, of.length);

export const whatif = {
  whatif: {
    title: 'What if?',
    hint: (noun: Noun) =>
      `Find the few ${noun.several} that decide the prediction, pairs that act together, and ` +
      'changes that turn it.',
    class: 'Class',
    findSets: 'Find smallest sets',
    findPairs: 'Find pairs',
    findTurn: 'Find fewest removals',
    findAdds: 'Find fewest additions',
    running: {
      sets: 'Searching for the smallest sets',
      pairs: 'Evaluating pairs',
      turn: 'Searching for the fewest changes',
      inside: 'Hiding parts',
      checks: 'Checking the map',
      profile: 'Predicting for other values',
      concepts: 'Comparing concepts with random sets',
    },
    concepts: {
      title: 'Concepts',
      hint: (noun: Noun) =>
        `A concept is a set of ${noun.several} with a name, such as gland=3,5-9. ` +
        `ink~3,4 has all ${noun.several} that the model encodes as these, and groups stands for ` +
        'the largest groups. A file of annotations, of vectors by name (.npz) or of codes (.onnx) ' +
        'names them, too.',
      name: 'Name',
      addSelected: (noun: Noun, i: number) => `Name ${one(noun, i)}`,
      addLike: 'And all like it',
      addRemoved: 'Name what is removed',
      text: 'Concepts',
      file: 'Add a file',
      csv: 'Save concepts',
      measure: 'Measure',
      found: (n: number, evident: number) =>
        `${plural(n, 'concept')} measured, ${count(evident)} evident.`,
      table: (name: string) => `What concepts do for ${name}`,
      concept: (noun: Noun) => `Concept (${noun.several})`,
      without: 'Without it',
      alone: 'Alone',
      effect: 'Shapley value',
      p: 'p',
      rule: (text: string, fit: number) =>
        `The value is high if ${text}: this explains ${percent(fit)} of its variance.`,
      noRule: (fit: number) =>
        `No rule describes the evident concepts; a sum of their effects explains ${percent(fit)}.`,
      compared: (n: number, contiguous: boolean) =>
        `p compares each concept with ${count(n)} random sets of its size` +
        `${contiguous ? ', as contiguous as it is' : ''}; it is corrected for the number of ` +
        'concepts, and bold if it is evident.',
    },
    profile: {
      title: 'Other values of inputs beside the bag',
      covariate: 'Input',
      values: 'Values, such as 40,50,60',
      hint: 'Without values, the page takes steps between those of the bags in the file.',
      find: 'Predict for these values',
      table: (name: string) => `Predictions by ${name}`,
    },
    foundProfile: (n: number, name: string) =>
      `The bag is predicted for ${plural(n, 'value')} of ${name}.`,
    evaluated: (n: number) => `${count(n)} what-ifs`,
    foundSets: (sufficient: number, necessary: number) =>
      `${plural(sufficient, 'sufficient set')} and ${plural(necessary, 'necessary set')} found.`,
    foundPairs: (n: number) => `${plural(n, 'evident pair')} found.`,
    foundTurn: (n: number, adds: boolean) =>
      n === 0
        ? 'No change was found that turns the prediction.'
        : `The prediction turns by ${plural(n, adds ? 'addition' : 'removal')}.`,
    instances: (list: readonly number[]) => list.map(number).join(', ') || 'none',
    show: 'Mark',
    marked: 'Marked',
    markLabel: (what: string) => `Mark ${what} in the picture`,

    sufficient: (noun: Noun, n: number, className: string) =>
      n > 1
        ? `${ways[n] ?? count(n) + ' ways'} to be sure of “${className}”: each set alone suffices`
        : `Sufficient for “${className}”: these ${noun.several} alone`,
    necessary: (noun: Noun, n: number, className: string) =>
      n > 1
        ? `Necessary for “${className}”: without any one of these sets the prediction turns`
        : `Necessary for “${className}”: without these ${noun.several} the prediction turns`,
    noSet: (noun: Noun) => `No set of ${noun.several} was found that decides this answer.`,
    notThis: (className: string) =>
      `The bag is not predicted as “${className}”, so that nothing has to be removed.`,
    set: 'Set',
    value: 'Prediction',
    proof: 'Smallest?',
    smallest: 'proved',
    smaller: 'no smaller one found',

    kept: (noun: Noun) => `${capital(noun.several)} kept`,
    removed: (noun: Noun) => `${capital(noun.several)} removed`,
    keptFigure: (noun: Noun, className: string) =>
      `Prediction of “${className}” by the number of ${noun.several} that are kept.`,
    removedFigure: (noun: Noun, className: string) =>
      `Prediction of “${className}” by the number of ${noun.several} that are removed.`,
    best: 'best order',
    map: (method: string) => `order of ${method}`,
    random: 'random order, mean of 10',

    among: 'Pairs among',
    mostImportant: (n: number) => `the ${count(n)} most important`,
    all: (n: number) => `all ${count(n)}`,
    lines: 'Draw pairs in the picture',
    completes: 'complete each other',
    standsIn: 'stand in for each other',
    pairsTable: (noun: Noun) => `Pairs of ${noun.several}`,
    pair: (noun: Noun) => capital(noun.several),
    interaction: 'Interaction',
    relation: 'They',
    interactionValue: (x: number, stderr: number) =>
      stderr > 0 ? `${signed(x, 2)} ± ${plain(stderr, 2)}` : signed(x, 2),
    unit: (unit: string, contexts: number) =>
      contexts === 0
        ? `Interactions are in ${unit}. All coalitions were evaluated: no sampling error.`
        : `Interactions are in ${unit}, with standard errors over ${count(contexts)} contexts.`,
    noPairs: 'No pair acts together more than chance explains.',
    more: (n: number) => `${plural(n, 'more evident pair')} not shown.`,
    times: (i: number, n: number) => (n > 1 ? `${number(i)} (× ${n})` : number(i)),
    twins: (groups: readonly (readonly number[])[]) =>
      `Twins act alike and are listed as one: ${groups.map((g) => g.map(number).join(' = ')).join('; ')}.`,
    linesLabel: (n: number) => `${plural(n, 'pair')} drawn as lines`,

    removals: (list: string, value: string) => `Without ${list} the prediction turns: ${value}.`,
    additions: (list: string, other: string, value: string) =>
      `With ${list} of bag ${other} the prediction turns: ${value}.`,
    noTurn: 'No such change turns the prediction.',
    steps: 'Greedy search, step by step',
    step: (n: number, i: number, added: boolean, value: string) =>
      `${n}. ${added ? 'add' : 'remove'} ${number(i)}: ${value}`,

    move: (noun: Noun) => `Move ${noun.several} between bags`,
    other: 'Other bag',
    chooseOther: 'Choose a bag',
    noOther: 'The open file has one bag. Open a file of several bags.',
    thisBag: (name: string) => `This bag: ${name}`,
    otherBag: (name: string) => `Other bag: ${name}`,
    moveHint: (noun: Noun) =>
      `Drag one of the ${noun.several} to the other tray, or press Enter on it.`,
    moveOut: (noun: Noun, i: number) => `${capital(one(noun, i))}: remove from this bag`,
    moveIn: (noun: Noun, i: number) => `${capital(one(noun, i))}: put back into this bag`,
    moveOtherIn: (noun: Noun, i: number) =>
      `${capital(one(noun, i))} of the other bag: add to this bag`,
    moveOtherBack: (noun: Noun, i: number) => `${capital(one(noun, i))} of the other bag: put back`,
    moveBack: 'Put all back',
    firstOnly: (n: number, all: number) => `The first ${count(n)} of ${count(all)} are shown.`,
    changed: (className: string, from: string, to: string) => `“${className}”: ${from} → ${to}`,
    movedOther: (noun: Noun, i: number, added: boolean, now: string) =>
      `${capital(one(noun, i))} of the other bag is ${added ? 'added' : 'put back'}. ${now}`,
  },

  inside: {
    find: 'Where inside?',
    findBands: 'Which bands?',
    findAll: (noun: Noun, n: number) => `Which bands of the strongest ${several(noun, n)}?`,
    found: (noun: Noun, of: readonly number[], groups: 'cells' | 'bands', n: number) =>
      `${plural(n, groups === 'bands' ? 'band' : 'part')} of ${those(noun, of)} ` +
      `${n === 1 ? 'matters' : 'matter'}.`,
    parts: {
      cells: (noun: Noun, of: readonly number[]) => `Parts of ${those(noun, of)}`,
      bands: (noun: Noun, of: readonly number[]) =>
        `Bands of ${those(noun, of)}, numbered in the order in which the model takes them,`,
    },
    about: (parts: string, className: string, hidden: string) =>
      `${parts} that support (+) or refute (−) “${className}”, by hiding them: ` +
      `hidden ones become ${hidden}.`,
    hidden: { mean: 'the mean of the bag', blur: 'blurred', zero: 'zero' },
    figure: (noun: Noun, of: readonly number[], evident: number, cells: number) =>
      `Map of ${those(noun, of)}: ${evident} of ${cells} parts matter.`,
    whole: (x: number, unit: string) => `Hiding all of it takes away ${signed(x, 2)} (${unit}).`,
    errors: (least: number, most: number) =>
      `Standard errors are ${plain(least, 3)} to ${plain(most, 3)}. Parts without a sign are not ` +
      'distinguishable from 0.',
    exact: 'All sets of parts were evaluated: no sampling error.',
    part: (x: number, y: number, value: string) => `Column ${x}, row ${y}: ${value}`,
    band: (n: number, value: string) => `Band ${n}: ${value}`,
    point: 'Point at a part, or use the arrow keys, to read its score.',
    value: (x: number, stderr: number | undefined) =>
      stderr ? `${signed(x)} ± ${plain(stderr)}` : signed(x),
    table: 'The strongest parts',
    heads: { column: 'Column', row: 'Row', band: 'Band', bands: 'Bands', score: 'Score' },
  },

  checks: {
    title: 'Check the map',
    hint:
      'Three sanity checks: does the map depend on what the model has learnt, is it stable, and ' +
      'does it follow the prediction?',
    run: 'Run the checks',
    again: 'Run again',
    found: (passed: readonly (boolean | null)[]) =>
      `${passed.filter((p) => p).length} of ${plural(passed.filter((p) => p !== null).length, 'check')} passed.`,
    layers: 'Random layers',
    noise: 'Small noise',
    mark: 'A pasted mark',
    passed: 'passed',
    failed: 'failed',
    noLayers: 'The model has no weights that can be shuffled.',
    about: (method: string, className: string) => `The map of ${method} for “${className}”.`,
    cost: (n: string) => `${n} coalitions were evaluated.`,
  },
};
