// The article, section by section. Texts may hold the marks that src/learn/prose.ts defines: <em>,
// <strong>, <dfn>, <cite>, <sub>, <sup>; <plus> and <minus> in the colours of the signs; <look> and
// <embed> as links to those pages; <mean>, <graph>, <scan> and <chest> as links to bundled examples
// in the explorer.
import { count, number, percent, plain, signed } from '../../lib/format.ts';

const numbers = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];
/** A number as a word up to ten, because "two 9s" is easier to read than "2 9s". */
const spelt = (n: number) => numbers[n] ?? String(n);

export const article = {
  skip: 'Skip to the article',

  hero: {
    title: 'See inside a bag',
    lead:
      'Some models predict one label for a whole bag of instances. <em>Which</em> instances ' +
      'led to the prediction, and <em>which class</em> does each of them support or refute? ' +
      'Change the bag below and find out.',
    figure: 'The bag and the prediction',
    trust: 'How reliable is this?',
    measuring: 'The reliability of these scores is being measured …',
    own: 'Have a model of your own? <look>Open it with a bag</look>; both stay on your machine.',
    bag: (k: number, nouns: string, out: number) =>
      `${k} ${nouns}, ${out === 0 ? 'all in the bag' : `${out} removed`}`,
    signs: (className: string) =>
      `<plus>Up: supports</plus> “${className}”. <minus>Down: refutes</minus> it.`,
    click: (noun: string) => `Click a ${noun} to remove it.`,
    predicts: (className: string) => `The model predicts “${className}”`,
    digit: (k: number, predicted: string, p: number, tallest: number | undefined) =>
      `The bag above holds ${k} digits. In training, the model got only one label for ` +
      'each bag: whether it holds an 8, a 9, both or neither. It never got the label of ' +
      `a digit. For this bag it predicts “${predicted}” with a probability of ` +
      `${percent(p)}. The bars under the digits are computed afterwards, from ` +
      'predictions for parts of the bag. They are changes of the log-odds; the tallest is ' +
      `${plain(tallest, 2)}.`,
    patch: (k: number, predicted: string, p: number) =>
      `The bag above holds ${k} patches of a slide. In training, the model got only one ` +
      'label for each slide: whether it holds a gland. It never got the label of a ' +
      `patch. For this slide it predicts “${predicted}” with a probability of ` +
      `${percent(p)}. The bars under the patches are computed afterwards, from ` +
      'predictions for parts of the slide.',
    moment: (k: number, predicted: string, p: number) =>
      `The bag above holds ${k} measurements of a machine during one day. Each is a ` +
      'temperature and a vibration, drawn as a point. In training, the model got only ' +
      `one label for each day. For this day it predicts “${predicted}” with a ` +
      `probability of ${percent(p)}. The bars are computed afterwards, from predictions ` +
      'for parts of the day.',
    mil:
      'This is <dfn>multiple-instance learning</dfn> (MIL). Tissue slides (a bag of patches ' +
      'with one diagnosis), photographs (a bag of segments) and molecules (a bag of shapes) ' +
      'are read in the same way. Labels of bags are cheap, but they do not show which ' +
      'instances matter.',
    temperature: 'temperature',
    vibration: 'vibration',
  },

  bar: 'The bag',

  removing: {
    title: 'Remove an instance',
    write: (className: string) =>
      'Let X be the bag and F(X) the prediction of the model, one number for each class. ' +
      `For the class “${className}” it is`,
    argument: (noun: string) =>
      'If an instance is important, the prediction changes without it. A MIL model ' +
      'accepts bags of any size, so you can simply leave an instance out. ' +
      `Click any ${noun} and look at the new prediction.`,
    steps: (className: string) => `“${className}” after each removal`,
    left: (className: string) => `The prediction of “${className}” for the remaining instances.`,
    last: (change: number, now: number) =>
      `The last removal changed it by ${signed(change, 4)}, to ${percent(now)}.`,
    some: 'Remove several instances, one after another.',
    buttons:
      'If several instances of the same kind support a class, the prediction stays when ' +
      'you remove one of them. It changes when you remove all of them. Simple ' +
      'explanations fail in this case.',
  },

  attention: {
    title: 'Attention does not show the class',
    own:
      'Many MIL models give each instance a weight, its <dfn>attention</dfn>, and add up ' +
      'the weighted instances. The weights show <em>which</em> instances the model uses. ' +
      'They have no sign and no class, so they do not show <em>which class</em> an ' +
      'instance supports.',
    figure: 'Attention, and the scores of each class',
    caption:
      'The first row is the attention of the model; it is the same for every class. ' +
      'Below is one row for each class. <plus>Up supports</plus>, <minus>down ' +
      'refutes</minus>, a grey dash does not stand out from 0. All classes have the ' +
      'same scale.',
    digits:
      'Read one column from top to bottom. An 8 and a 9 can have the same attention, but ' +
      'the 9 is the strongest evidence <em>against</em> “an 8”. A heatmap of attention ' +
      'shows both in the same colour.',
    others: (className: string) =>
      `Read one column from top to bottom. An instance that supports “${className}” ` +
      'refutes another class, but it has only one attention. A heatmap of attention ' +
      'shows which instances the model uses, not the classes that they support.',
    none:
      'This model takes the maximum over the bag and has no attention. The rows below need ' +
      'only predictions, so they exist for every model.',
    want:
      'We want a score for each instance and each class: positive if the instance supports ' +
      'the class, negative if it refutes the class. The method must work for any model and ' +
      'use only predictions.',
  },

  alone: {
    title: 'One instance at a time',
    more: (instance: string) => `The formulas, with the numbers of ${instance}`,
    questions:
      'There are two simple methods. <strong>Single</strong> is the prediction for a bag ' +
      'that holds only this instance. <strong>One Removed</strong> is the change of the ' +
      'prediction when this instance is removed.',
    figure: (className: string) => `Three methods on “${className}”`,
    caption: (className: string, most: number) =>
      `The scores for “${className}” by the two simple methods and by MILLI, which the ` +
      'next sections explain. Each row has its own scale: the largest bar of One Removed ' +
      `is ${plain(most, 4)}. Single is drawn from its mean over the bag; a grey dash does ` +
      'not stand out from the neutral point.',
    twins: (n: number, group: string) =>
      `This bag holds ${spelt(n)} ${group}. If you remove one, the others still support ` +
      'the class and the prediction stays. So One Removed gives all of them a score near ' +
      '0.',
    noTwins:
      'In this bag no instance replaces another, so One Removed works. If a bag holds ' +
      'two instances of the same kind, each replaces the other, and One Removed gives ' +
      'both a score near 0.',
    blind: (noun: string) =>
      'Single has the opposite weakness: it never combines instances. If a class needs ' +
      `two different instances, no single ${noun} is enough.`,
    both:
      'Both methods fail for the same reason: they look at bags of one instance, or of all ' +
      'but one, and at nothing in between.',
  },

  coalitions: {
    title: 'Use coalitions',
    groups: (k: number) =>
      'A <dfn>coalition</dfn> is a subset of the bag, drawn below as a row of marks: a ' +
      'filled mark means that the instance is in the coalition. This bag has ' +
      `2<sup>${k}</sup> coalitions, about ${count(2 ** k / 1e6)} million. So we draw ` +
      'some at random and compute the prediction for each of them.',
    fit:
      'Then we fit a <dfn>surrogate</dfn>, a simple additive model: it adds a fixed number ' +
      'for each instance in the coalition.',
    settle:
      'These numbers are the explanation. Press Play and watch them while the number of ' +
      'coalitions grows. With few coalitions the bars are mostly noise. With many, only ' +
      'the instances that change the prediction keep large bars.',
    of: (n: number, all: number) => `${n} of ${all}`,
    figure: (className: string) =>
      `Coalitions, the prediction of “${className}”, and the surrogate`,
    points: (r2: number | null | undefined) =>
      'Each point is a coalition. On the dashed line, surrogate and model agree. R² = ' +
      `${r2 == null ? '–' : plain(r2, 3)}.`,
    caption: (shown: number, fitted: number) =>
      `The last twelve of ${shown} coalitions; filled means that the instance is in. On ` +
      'the right is the prediction for each, at the top the surrogate fitted to all ' +
      `${fitted}.`,
    note: (again: string) =>
      'R² is the share of the variation of the predictions that the surrogate ' +
      `reproduces. The button “${again}” draws other coalitions with another seed. Bars ` +
      'that change with the seed are noise.',
    fitted: (n: number) => `φ fitted to ${n}`,
    heads: ['instances in', 'F(z)', 'which are in'],
    surrogate: 'surrogate g(z)',
    model: 'model F(z)',
    plot: (n: number, r2: number | null | undefined) =>
      `The prediction against the surrogate for ${n} coalitions. R² ${plain(r2, 2)}.`,
  },

  curve: {
    title: 'Choose the coalitions',
    coin: (first: string) =>
      'With probability one half for each instance, a coalition holds about half of the ' +
      'bag. If a few instances decide, nearly every such coalition holds one of them. ' +
      'The predictions are then all alike and carry little information. ' +
      '<strong>MILLI</strong> ranks the instances: the first is the one that alone is ' +
      `least like the negative class, here ${first}. The first ranks are then drawn ` +
      'rarely, so a coalition often holds one of them without the others of its kind, and ' +
      'the prediction depends on it.',
    more: 'The probabilities as a formula, and their settings',
    law: 'The instance of rank r is in a coalition with probability',
    bend: (alpha: number, fifth: number) =>
      `The first rank has the probability α = ${plain(alpha)}, the last 1 − α. β bends ` +
      `the curve between them: rank 5 has ${plain(fifth)}.`,
    figure: 'Coalitions, with instances in the order of their ranks',
    caption: (size: number, k: number, mean: number) =>
      'The first plot shows the probability of each rank, the second the expected size ' +
      'of a coalition: the sum of the probabilities (dashed: the integral in the paper). ' +
      `Here E|z| = ${plain(size, 1)} of ${k}; the drawn coalitions hold ` +
      `${plain(mean, 1)} on average. The rows show the last of them.`,
    suit: (r2: number | null | undefined) =>
      'No α and β are best for every task. “An 8 and a 9” needs a pair, and coalitions ' +
      'with both are rare if both have low probabilities. Increase α and look at the ' +
      'figure above: the same number of coalitions gives another fit. R² is now ' +
      `${plain(r2, 2)}.`,
    tasks:
      'If one instance among hundreds decides, small coalitions are best: the paper uses ' +
      'α = 0.008, β = −5 for tissue. For bags of digits it uses α = 0.05, β = 0.01.',
    rank: 'rank r',
    chance: 'probability π of being in',
    chances: (first: number | undefined, last: number | undefined) =>
      `The probability of being in a coalition, from ${plain(first)} for the most ` +
      `important instance to ${plain(last)} for the least important.`,
    size: 'E|z|, expected size',
    sizes: (alpha: number, size: number, k: number, beta: number) =>
      `The expected size of a coalition against β, for α ${plain(alpha)}: ` +
      `${plain(size, 1)} of ${k} instances at β ${plain(beta)}.`,
  },

  methods: {
    title: 'Compare the methods',
    all: (className: string) =>
      'The figure shows the methods of the paper and <strong>Consensus</strong>, our method ' +
      `and that of the first figure, for “${className}”. Consensus has no settings: it ` +
      'averages how much an instance changes the log-odds of the class when it joins bags of ' +
      'the less suspicious others.',
    more: 'How the methods of the paper differ',
    differ:
      'They differ in the coalitions that they evaluate and in the weight of each in the ' +
      'fit. SHAP gives the most weight to the smallest and the largest coalitions, LIME to ' +
      'those most like the whole bag. “Guided” methods use coalitions in a fixed order, ' +
      '“random” ones draw them.',
    heads: ['NDCG@n', 'AOPC-R', 'coalitions'],
    figure: (className: string) => `All methods on “${className}”`,
    caption:
      'Choose a method to test it below. <em>NDCG@n</em> and <em>AOPC-R</em> measure how ' +
      'good it is; <em>coalitions</em> is the number that it evaluates.',
  },

  proof: {
    title: 'Test an explanation',
    test:
      'Bars always look convincing. This test needs no labels of instances: <strong>remove ' +
      'the instances in the order of the explanation</strong>, the most important first. ' +
      'With a good explanation the prediction drops at once. With a bad one it drops no ' +
      'faster than in random order.',
    of: (n: number, all: number) => `${n} of ${all}`,
    figure: (className: string) => `“${className}” while instances are removed`,
    row: (m: number) => `m = ${m}`,
    begin: (method: string) =>
      `Press Play to remove instances in the order of ${method}. The thin line shows the ` +
      'whole curve. Dashed: the mean of random orders and its standard deviation.',
    caption: (method: string, left: number, className: string, gone: number) =>
      'The thick line shows the prediction while instances are removed in the order of ' +
      `${method}: “${className}” has ${percent(left)} without the first ` +
      `${gone === 1 ? 'one' : gone}. Dashed: the mean of random orders and its standard ` +
      'deviation.',
    aopc: (method: string, aopc: number | undefined) =>
      'The area between the two curves is the metric <strong>AOPC-R</strong>: the mean ' +
      'drop in the order of the explanation minus the mean drop in random order. For ' +
      `${method} and this class it is ${plain(aopc)}. Zero is as good as random.`,
    known: 'If the labels of the instances are known: NDCG@n',
    ndcg:
      '<strong>NDCG@n</strong> checks the n instances with the highest scores, where n is ' +
      'the number of instances that support the class. Higher ranks count more.',
    places: (n: number) => `The first ${spelt(n)} ranks`,
    more: (n: number) => `and ${n} more`,
    log: 'log',
    nothing: (className: string) =>
      `No labelled instance of this bag supports “${className}”, so NDCG@n is not defined.`,
    wrong:
      'An explanation can be faithful and still look wrong. Then the model uses the ' +
      'wrong instances. Explanations are made to find such models.',
    taken: 'removed instances, m',
    value: 'F(X without the first m)',
    plot: (
      className: string,
      method: string,
      whole: number,
      left: number,
      gone: number,
      aopc: number | undefined,
    ) =>
      `“${className}” in the order of ${method}: ${percent(whole)} with all instances, ` +
      `${percent(left)} without the first ${gone}. AOPC-R ${plain(aopc)}.`,
  },

  together: {
    title: 'Look at pairs and sets',
    one:
      'One number for each instance cannot say that two of them are needed <em>together</em>, ' +
      'or that either of two is enough. A <dfn>what-if</dfn> can: change the bag and compute ' +
      'the prediction again.',
    pair:
      'The <dfn>interaction</dfn> of two instances i and j is what both together add to a ' +
      'coalition S, minus what each of them adds alone.',
    signs:
      'We take the mean over many random coalitions, in log-odds. Above 0 the two instances ' +
      '<strong>complete each other</strong>: together they add more. Below 0 they ' +
      '<strong>stand in for each other</strong>: the second one adds little.',
    figure: (className: string) => `Instances that act together on “${className}”`,
    tile: (instance: string, out: boolean, next: number | undefined) =>
      out
        ? `${instance}, removed`
        : instance + (next === undefined ? '' : `, the prediction without it is ${percent(next)}`),
    now: (className: string, p: number) => `Prediction of “${className}”: ${percent(p)}`,
    times: (n: number) => (n > 1 ? `× ${n}` : ''),
    completes: 'complete each other',
    standsIn: 'stand in for each other',
    interaction: (x: number, stderr: number) =>
      stderr > 0 ? `${signed(x, 1)} ± ${plain(stderr, 1)}` : signed(x, 1),
    caption: (className: string) =>
      `The strongest pairs of the whole bag for “${className}”. Instances that act alike stand ` +
      'side by side and are listed as one. The number under an instance is the prediction if ' +
      'you remove it next. A solid line joins instances that complete each other, a dashed ' +
      'line those that stand in for each other. Interactions are in log-odds, with standard ' +
      'errors.',
    noPairs: (className: string) =>
      `No two instances of this bag act together on “${className}” more than chance explains.`,
    replace: (n: number, group: string, className: string, p: number) =>
      `In this bag ${spelt(n)} ${group} stand in for each other. Remove one of them: the model ` +
      `still predicts “${className}”, so this one seems not to matter. ` +
      (n === 2
        ? 'But look at the number under the other one: now it decides alone. '
        : 'Remove the others until one is left, and look at its number: it decides alone. ') +
      `Without ${n === 2 ? 'both' : 'all of them'} the prediction is ${percent(p)}.`,
    sets:
      'Sets of instances answer two more questions. A set is <dfn>sufficient</dfn> if the ' +
      'model predicts the class from these instances alone. A set is <dfn>necessary</dfn> if ' +
      'the model does not predict the class without it.',
    sufficient: (className: string) =>
      `Sufficient for “${className}”: the prediction of each alone`,
    necessary: (className: string) => `Necessary for “${className}”: the prediction without each`,
    noSufficient: 'No instances of this bag give this prediction.',
    noNecessary: 'There is none: the bag is not predicted as this class, or every part of it is.',
    setCaption:
      'The smallest sets, up to three of each kind that share no instance. No smaller set ' +
      'decides: they were all evaluated.',
    more:
      'The <look>explorer</look> finds pairs and sets in your own bags, and the fewest changes ' +
      'that turn a prediction, under “What if?”.',
  },

  slide: {
    title: 'From a slide to a map',
    cut:
      'A scan of a tissue slide has up to 100,000 pixels on a side. No network takes it ' +
      'whole, so it is cut into <dfn>patches</dfn>, and the patches on tissue become the ' +
      'bag. Two numbers define a patch: its <strong>size in pixels</strong>, and the ' +
      '<strong>microns a pixel</strong>. A patch of 27 pixels at 1 micron covers 27 ' +
      'microns of tissue, about four nuclei across.',
    question:
      'The network below learned from bags with one label each: “many nuclei” if at least one ' +
      'patch is crowded with nuclei. No patch was labelled. It was trained on the upper part ' +
      'of the slide, and its settings were chosen on the part below. It never saw the lowest ' +
      'quarter.',
    load: 'Open the slide here (2.7 MB)',
    again: 'Try again',
    loading: 'The slide is being fetched.',
    failed: (why: string) => `The slide could not be opened: ${why}`,
    undrawn: (why: string) => `The slide could not be drawn: ${why}.`,
    source:
      'The page loads again with the slide and the network. The slide is ' +
      'CMU-1-Small-Region.svs of Carnegie Mellon University, test data of OpenSlide (CC0).',
    layer: 'Over the slide',
    layers: {
      slide: 'Nothing',
      map: 'The map',
      truth: 'The truth',
      top: 'The first n',
    },
    scale: 'Microns a pixel',
    microns: (m: number) => `${m} µm`,
    rank: 'Patch at rank',
    of: (n: number, all: number) => `${n} of ${all}`,
    picture: (layer: 'slide' | 'map' | 'truth' | 'top') =>
      ({
        slide: 'The slide: a band of purple epithelium in pink connective tissue',
        map: 'The slide under the map: patches that support “many nuclei” are coloured',
        truth:
          'The slide under the truth: patches have the more colour the more of them nuclei cover',
        top: 'The n patches with the highest scores: found, wrong and missed',
      })[layer],
    patch: 'The patch as the network takes it',
    chosen: (rank: number, share: number, many: boolean) =>
      `Rank ${rank}. Nuclei cover ${percent(share)} of this patch: ${many ? 'many' : 'few'}.`,
    laying: 'Patches are laid on the tissue.',
    encoding: (done: number, total: number) => `${done} of ${total} patches are encoded.`,
    judged: ({
      order,
      n,
      found,
      ndcg,
      random,
    }: {
      order: readonly number[];
      n: number;
      found: number;
      ndcg: number | null;
      random: number;
    }) =>
      `${n} of ${order.length} patches have many nuclei. Of the ${n} with the highest scores ` +
      `${found} do. NDCG@${n} is ${plain(ndcg, 2)}; a random map has ${plain(random, 2)}.`,
    about: {
      slide: 'The slide, as its scanner stored it.',
      map: 'Coloured: patches that support “many nuclei”, by Consensus. Stronger is more.',
      truth: 'Coloured: the part of each patch that nuclei cover, measured from the pixels.',
      top:
        'Full squares are found: among the first n of the map, with many nuclei. Crosses are ' +
        'wrong: among the first n, with few. Empty squares are missed.',
    },
    judging:
      'A map looks convincing soon. To judge it, you need a truth that the network did not ' +
      'get. Here the pixels hold it: haematoxylin colours nuclei, so a program can find them ' +
      'and measure which part of a patch they cover. Patches with at least 15 % count as ' +
      'crowded. <strong>NDCG@n</strong> compares the first n patches of the map with them, as ' +
      'above. A random map reaches, on average, the part of patches that are crowded. Compare ' +
      'a map with that number, not with zero.',
    scales:
      'Now change the microns a pixel. The network takes 27 by 27 pixels at every scale, so ' +
      'nothing fails. But it learned nuclei of about 8 pixels. At 2 microns they have 4, at .5 ' +
      'they have 16, and the map may follow something else. That is why a model card states ' +
      'the microns, and why bagscope reads them.',
    own:
      'The part of the slide on which the network learned is on the map, too. Judge a network ' +
      'only where it has not learned: NDCG@n of the lowest quarter alone is in the file ' +
      '`examples/slide/README.md`. <scan>Open this slide with all tools</scan>, or your own.',
  },

  series: {
    title: 'Which slices?',
    bag:
      'A CT series is a bag, too: its <dfn>slices</dfn> are the instances, and the report says ' +
      'one thing of all of them. The network below got drawn chests, and first parts of 8 slices ' +
      'of them, with one label each: “a nodule” or “no nodule”. No slice was labelled.',
    question:
      'First answer yourself: <strong>which slices show the nodule</strong>, a bright ball of 6 ' +
      'pixels across in the dark lung? Vessels are bright, too, but they go on from slice to ' +
      'slice. Then compare your answer with the map and the truth.',
    load: 'Open the series here (190 kB)',
    again: 'Try again',
    loading: 'The series is being fetched.',
    failed: (why: string) => `The series could not be opened: ${why}`,
    undrawn: (why: string) => `The slice could not be drawn: ${why}.`,
    source: 'The page loads again with the series and the network. No picture is of a patient.',
    slice: 'Slice',
    of: (n: number, all: number) => `${n} of ${all}`,
    guess: 'I see the nodule here',
    answer: 'Show the map and the truth',
    hide: 'Hide them',
    picture: (n: number) => `Slice ${n}: a section of a chest, seen from the feet`,
    rows: { yours: 'Your answer', map: 'The map', truth: 'The truth' },
    ends: { first: 'feet', last: 'head' },
    marks: (row: string, those: readonly number[]) =>
      `${row}: ${those.length ? `slices ${those.join(', ')}` : 'no slices'}`,
    chart: (n: number, all: number) => `Scores of ${all} slices, of which ${n} stand out`,
    predicted: (p: number) => `The model predicts a nodule (${percent(p)}).`,
    judged: (marked: number, right: number, all: number) =>
      `${count(marked)} slices support it, and ${right === marked ? 'all' : count(right)} of ` +
      `them show the nodule, which is in ${count(all)}.`,
    yours: (n: number, right: number) =>
      `You marked ${count(n)}; ${count(right)} of them ${right === 1 ? 'shows' : 'show'} it.`,
    about: (answered: boolean) =>
      answered
        ? 'Bars up support “a nodule”, by Consensus; a dash does not stand out.'
        : 'Move through the slices by the slider or the arrow keys.',
    judging:
      'The map misses the two slices at the ends of the nodule, where it is only a rim. This is ' +
      'no fault of the map: one slice with the nodule is enough for the network, and it does not ' +
      'recognise the rim. A map says <em>what the model used</em>, not where the disease ends. ' +
      'Do not measure a lesion with it.',
    teacher: {
      title: 'Notes for the teacher',
      steps: [
        'Ten minutes, in pairs. Let each pair mark slices before anyone shows the map.',
        'Ask why any one of the five slices alone is enough, and what removing one of them ' +
          'changes. It changes nothing: the others carry the prediction.',
        'Ask what the map would look like for a chest without a nodule. No slice then stands ' +
          'out: nothing is there to support.',
        'The truth is in `examples/series/truth.json`, and `make.py` beside it draws other ' +
          'series. The network is right on 98.5 % of 200 that it never saw.',
      ],
    },
    own:
      '<chest>Open this series with all tools</chest>: remove slices, and look for the fewest ' +
      'that turn the prediction. Your own DICOM or NIfTI series opens there as well.',
  },

  compose: {
    title: 'Compose a bag',
    text:
      'Put digits into a bag, or draw some. <strong>Say first</strong> what the network will ' +
      'answer, and which digits will carry it. Then find a bag that it misreads.',
    tray: (most: number) => `Digits to put into the bag, at most ${most}`,
    add: (label: number) => `Add ${label === 8 ? 'an 8' : `a ${label}`}`,
    pad: 'Pad to draw a digit on; the digits beside it need no pointer',
    put: 'Add the drawing',
    wipe: 'Wipe',
    bag: (k: number) => (k === 1 ? 'Your bag: 1 digit' : `Your bag: ${k} digits`),
    empty: 'Empty the bag',
    save: 'Save for Look',
    hint: 'Click digits to put them in. A click on one in the bag takes it out.',
    remove: (i: number, label: number | null, score: string, sign: number) =>
      `Take out digit ${number(i)}, ${label === null ? 'drawn' : label === 8 ? 'an 8' : `a ${label}`}` +
      (score &&
        `; ${sign === 0 ? 'it does not stand out' : `${sign > 0 ? 'supports' : 'refutes'}, ${score}`}`),
    says: 'What the network says',
    caption:
      'Up supports what the network says, down refutes it; a digit without a bar does not stand ' +
      'out. A drawing is centred and 28 pixels wide, as the digits of its training, in four greys. ' +
      'The address of this page keeps the bag.',
  },

  own: {
    title: 'Use your own model and data',
    here:
      'The methods on this page only evaluate coalitions, so they work for any MIL model. ' +
      'Look at <mean>a network that averages over these digits</mean> or at <graph>a graph ' +
      'network of them</graph>, or <look>open your own model and bag</look>. Your browser ' +
      'reads and computes them, and nothing leaves this machine. You can also <embed>put ' +
      'an explained bag into your own page</embed>, such as a lesson, a manual or the ' +
      'supplement of a paper.',
    sources: 'Sources',
    papers:
      'The methods, the sampling curve and the tests are from Joseph Early, Christine ' +
      'Evers and Sarvapali Ramchurn, <cite>Model Agnostic Interpretability for Multiple ' +
      'Instance Learning</cite>, ICLR 2022. The bags of digits follow their ' +
      '4-MNIST-Bags. Our generator draws the digits and the vectors. Shapley values as a ' +
      'weighted regression are from Lundberg and Lee (2017), the surrogate around one ' +
      'input from Ribeiro, Singh and Guestrin (2016), attention pooling from Ilse, ' +
      'Tomczak and Welling (2018), and AOPC from Samek and others (2017).',
    limits:
      'An explanation shows what this model does, not what is true. It is not a medical ' +
      'device. bagscope is free software under the Apache License 2.0.',
    licences: 'Licences of what it contains',
  },

  /** The buttons of ?present and ?ask. */
  room: {
    label: 'In a room',
    show: 'Show the scores',
    hide: 'Hide the scores',
    before: 'Figure before',
    next: 'Next figure',
    place: (n: number, of: number) => `${n} of ${of}`,
  },
};
