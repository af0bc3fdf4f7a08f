// The article, section by section. Marks as in HTML, of those that src/learn/prose.ts knows: <em>, <strong>, <dfn>,
// <cite>, <sub>, <sup>, <plus> and <minus> in the colours of the signs, <look> and <embed> as links to those pages, <mean> and <graph>
// to a bundled network of that kind.
import { count, percent, plain, signed } from '../../lib/format';

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
/** A number as prose writes it: "two 9s" reads where "2 9s" does not. */
const spelt = (n: number) => numbers[n] ?? String(n);

export const article = {
  skip: 'Skip to the article',

  hero: {
    title: 'See inside a bag',
    lead: 'Some models look at a whole bag of things and say one word about all of it. This page teaches, on one bag and with your own hands, how to find out <em>which</em> of the things made them say it, and <em>what</em> each one spoke for.',
    figure: 'The bag and the model’s answer',
    bag: (k: number, nouns: string, out: number) =>
      `${k} ${nouns}, ${out === 0 ? 'all in the bag' : `${out} out of the bag`}`,
    signs: (className: string) =>
      `<plus>Up, green: supports</plus> “${className}”. <minus>Down, red: refutes</minus> it.`,
    click: (noun: string) => `Click a ${noun} to take it out of the bag.`,
    says: (className: string) => `The model says “${className}”`,
    digit: (k: number, predicted: string, p: number, tallest: number | undefined) =>
      `The bag above holds ${k} digits. The model that looks at it was never shown which digit is which. All it was ever told is whether a whole bag holds an 8, a 9, both or neither. Of this bag it says “${predicted}”, with a probability of ${percent(p)}. The bars under the digits were worked out afterwards, by asking it about parts of the bag: the tallest is worth ${plain(tallest, 2)}.`,
    patch: (k: number, predicted: string, p: number) =>
      `The bag above holds ${k} patches of a slide. The model that looks at it was never shown a gland. All it was ever told is whether one is somewhere in a slide. Of this one it says “${predicted}”, with a probability of ${percent(p)}. The bars under the patches were worked out afterwards, by asking it about parts of the slide.`,
    moment: (k: number, predicted: string, p: number) =>
      `The bag above holds ${k} moments of a machine’s day, each a temperature and a vibration, drawn as a point. The model was given whole days. Of this one it says “${predicted}”, with a probability of ${percent(p)}. The bars were worked out afterwards, by asking it about parts of the day.`,
    mil: 'This is <dfn>multiple-instance learning</dfn>, MIL for short, and it is how models read tissue slides (a bag of patches with one diagnosis), photographs (a bag of segments) or molecules (a bag of shapes): one label for the bag, none for its instances. It makes labels cheap, and it leaves a question open. Which instances was it?',
    temperature: 'temperature',
    vibration: 'vibration',
  },

  bar: 'The bag, at hand',

  removing: {
    title: 'Take something out',
    write: (className: string) =>
      `Write X for the bag and F(X) for what the model says of it, a number for every class. Here the model gives the class “${className}”`,
    argument: (noun: string) =>
      `Each instance is an argument. If it is an important one, the answer should change without it. A MIL model takes bags of any size, so that nothing has to be blacked out or guessed: what is removed is simply not there. Click any ${noun} in the bag, here or in the strip that goes along with you, and read what is left.`,
    steps: (className: string) => `“${className}”, step by step`,
    left: (className: string) => `What is left of “${className}”.`,
    last: (change: number, now: number) =>
      `The last one that went out changed it by ${signed(change, 4)}, to ${percent(now)}.`,
    some: 'Take some out, one after the other.',
    buttons:
      'Try the buttons under the figure. Where an answer rests on a few of a kind, one of them can go without being missed; when all of them are gone the answer turns. Keep this in mind. It is where simple explanations break.',
  },

  attention: {
    title: 'Which is not what',
    own: 'Many MIL models come with an answer of their own. They weigh instances by <dfn>attention</dfn> before they sum them up, and the weights make handsome pictures. But attention says <em>which</em> instances the model looked at. It has no sign and no class, and so it cannot say <em>what</em> they told it.',
    figure: 'Attention, and what each instance says about each class',
    caption:
      'Above, the model’s own attention: one row, the same for every class. Below, one row for each class. <plus>Up supports</plus>, <minus>down refutes</minus>, a grey dash is not distinguishable from 0. The rows of the classes share one scale.',
    digits:
      'Follow one column down. An 8 and a 9 may hold the same attention, and yet the 9 is the best argument <em>against</em> “an 8” that a bag can hold. A heatmap of attention shows both in the same colour. Whoever reads it as evidence for the answer is misled by half of it.',
    others: (className: string) =>
      `Follow one column down. What argues for “${className}” argues against another class, and both arguments have one and the same attention. A heatmap of it shows where the model looked, and not which answer it found there.`,
    none: 'This model takes the maximum over the bag and pays no attention to anything. It can be explained all the same: the rows below need nothing of a model but its answers.',
    want: 'What we want is a number φ<sub>i</sub> for each instance i and each class: above zero where the instance supports the class, below where it refutes it. And we want it of any model, from its answers alone.',
  },

  alone: {
    title: 'One at a time',
    questions: (instance: string) =>
      `Two questions come to mind first. <strong>Single</strong> asks what the model says of an instance all alone; <strong>One Removed</strong> asks what is lost when it is taken out. For the instance under your pointer, ${instance}, they come to`,
    figure: (className: string) => `Three methods on “${className}”`,
    caption: (className: string, most: number) =>
      `“${className}” by the two simple questions, and by the method that the rest of this page builds up to. Every row has a scale of its own: the largest bar of One Removed is worth ${plain(most, 4)}. Single is drawn from its mean over the bag; a grey dash is not distinguishable from the neutral point.`,
    twins: (n: number, group: string) =>
      `There are ${spelt(n)} ${group} here, and each stands in for the others: whichever you remove, the answer stays, and One Removed gives next to nothing to any of them.`,
    noTwins:
      'Nothing here stands in for anything else, and One Removed may well do; where a bag holds two of a kind, each stands in for the other, and it gives next to nothing to either.',
    blind: (noun: string) =>
      `Single has the opposite blind spot: it never sees instances together. No ${noun} alone can be a pair, so that Single has nothing to say where an answer takes two.`,
    both: 'Both err for the same reason. They ask about bags of one, and of all but one, and about nothing between.',
  },

  coalitions: {
    title: 'Ask about coalitions',
    groups: (k: number) =>
      `So ask about groups. A <dfn>coalition</dfn> is a part of the bag, written as a row of marks z: filled where an instance is in. This bag has 2<sup>${k}</sup> of them, about ${count(2 ** k / 1e6)} million, so draw some, ask the model about each, and note down what it says.`,
    fit: 'Then fit the simplest thing there is: a <dfn>surrogate</dfn> that starts from φ<sub>0</sub> and adds a fixed amount for every instance that is in.',
    settle:
      'The amounts are the explanation. Press play, and watch them settle as samples arrive: with few, chance hands out bars to anybody; with more, only those who change the answer keep theirs.',
    of: (n: number, all: number) => `${n} of ${all}`,
    figure: (className: string) => `Coalitions, what the model says of “${className}”, and the surrogate`,
    points: (r2: number | null | undefined) =>
      `Each point is a coalition. On the dashed line the surrogate says what the model says. R² = ${r2 == null ? '–' : plain(r2, 3)}.`,
    caption: (shown: number, fitted: number) =>
      `The last twelve of ${shown} coalitions of the bag. Filled: in. At the right, what the model says of each; at the top, the surrogate fitted to all ${fitted}.`,
    note: (again: string) =>
      `Note what R² tells: how much of the model’s coming and going the sum of fixed amounts can follow. It is the explanation’s own word on how far to trust it. And note “${again}”: another seed, other coalitions. Bars that change with the seed are noise; bars that stay are worth reading.`,
    fitted: (n: number) => `φ fitted to ${n}`,
    heads: ['instances in', 'F(z)', 'who is in'],
    surrogate: 'surrogate g(z)',
    model: 'model F(z)',
    plot: (n: number, r2: number | null | undefined) =>
      `Of ${n} coalitions, what the model says against what the surrogate says. R² ${plain(r2, 2)}.`,
  },

  curve: {
    title: 'Which coalitions to ask about',
    coin: (first: string) =>
      `A fair coin for each instance gives coalitions of half the bag. Where a few strong instances decide, nearly every half holds one of them: the model says the same thing again and again, and little is learned from it. <strong>MILLI</strong> bends the coin. It first ranks the instances by how little each alone looks like nothing; here ${first}, comes first. Then the instance of rank r is in with probability`,
    bend: (alpha: number, fifth: number) =>
      `The first is in with α = ${plain(alpha)}, the last with 1 − α, and β bends what lies between: rank 5 is in with ${plain(fifth)}. Rare company makes a strong instance stand out: where it is in and its twin is not, the answer hangs on it.`,
    figure: 'Coalitions, their instances from the first rank to the last',
    caption: (size: number, k: number, mean: number) =>
      `First, the chance of each rank; then, how large a coalition is to be expected: the sum of the chances (dashed, the integral that the paper prints). Here E|z| = ${plain(size, 1)} of ${k}, and those drawn hold ${plain(mean, 1)} on average. Below, the last of them, their instances from the first rank to the last.`,
    suit: (r2: number | null | undefined) =>
      `No α and β suit every question. Where one instance among hundreds decides, small coalitions tell most, and the paper takes α = 0.008, β = −5 for tissue; for bags of digits it takes α = 0.05, β = 0.01. But an answer that takes a pair, “an 8 and a 9”, is hardly ever met when both kinds are rare. Push α up and look at the figure before: the same budget of questions, spent elsewhere, gives another fit. Here R² is now ${plain(r2, 2)}.`,
    rank: 'rank r',
    chance: 'chance π of being in',
    chances: (first: number | undefined, last: number | undefined) =>
      `The chance of being in a coalition, from ${plain(first)} for the most important instance to ${plain(last)} for the least.`,
    size: 'E|z|, expected size',
    sizes: (alpha: number, size: number, k: number, beta: number) =>
      `The expected size of a coalition against β, at α ${plain(alpha)}: ${plain(size, 1)} of ${k} instances at β ${plain(beta)}.`,
  },

  methods: {
    title: 'Side by side',
    all: (className: string) =>
      `The methods of the paper on this bag, for “${className}”, and Consensus, ours. The methods of the paper differ in which coalitions they evaluate and in how much weight each has in the fit. SHAP gives the most weight to the smallest and the largest coalitions, LIME to those most like the whole bag. “Guided” methods take coalitions in a fixed order, “random” ones draw them. Consensus has no settings. It averages what an instance adds to the log-odds of the class over random coalitions of the others, and it stops by itself.`,
    heads: ['NDCG@n', 'AOPC-R', 'asked'],
    figure: (className: string) => `All methods on “${className}”`,
    caption:
      'Choose one to put it to the test below. <em>NDCG@n</em> and <em>AOPC-R</em> say how good it is, <em>asked</em> how many coalitions it looked at.',
  },

  proof: {
    title: 'How would you know?',
    test: 'A picture of bars always looks convincing. Here is how to find out whether it is right, without knowing the truth: <strong>do as it says.</strong> Take the instances away in the order of the explanation, the most important first. If it is a good one the answer falls at once; if it is none, it falls no faster than when instances go at random.',
    of: (n: number, all: number) => `${n} of ${all}`,
    figure: (className: string) => `“${className}” while instances vanish`,
    row: (m: number) => `m = ${m}`,
    begin: (method: string) =>
      `Press play, and instances go in the order of ${method}: the thin line is what is to come. Dashed, random orders, and how far they stray.`,
    caption: (method: string, left: number, className: string, gone: number) =>
      `The thick line falls as instances are taken away in the order of ${method}: ${percent(left)} is left of “${className}” without the first ${gone === 1 ? 'one' : gone}. Dashed, random orders, and how far they stray.`,
    aopc: (method: string, aopc: number | undefined) =>
      `The area between the two curves is a number, <strong>AOPC-R</strong>: the mean drop under the explanation’s order less that under random orders. For ${method} and this class it is ${plain(aopc)}. Zero is no better than chance. It needs no labels, so that you can ask for it on data of your own.`,
    ndcg: 'Where the truth about the instances <em>is</em> known, there is a second way: see whether those that matter stand at the top. <strong>NDCG@n</strong> looks at the first n places, n being the number of instances that support the class, and values the upper ones more.',
    places: (n: number) => `The first ${spelt(n)} places`,
    more: (n: number) => `and ${n} more`,
    log: 'log',
    nothing: (className: string) =>
      `No instance of this bag is known to support “${className}”: there is nothing to score.`,
    wrong:
      'A method can be faithful and still look wrong: then it is the model that reads the bag for the wrong reasons. That is what explanations are for.',
    taken: 'instances taken away, m',
    value: 'F(X without the first m)',
    plot: (
      className: string,
      method: string,
      whole: number,
      left: number,
      gone: number,
      aopc: number | undefined,
    ) =>
      `“${className}” in the order of ${method}: ${percent(whole)} with all instances, ${percent(left)} without the first ${gone}. AOPC-R ${plain(aopc)}.`,
  },

  own: {
    title: 'Now your own',
    here: 'Nothing on this page knows the model it explains: it only evaluates coalitions. It does the same for <mean>a network that averages over these digits</mean>, for <graph>one in which they see one another</graph>, and for a model and a bag of yours. <look>Open them here</look>; they are read and computed in your browser, and nothing leaves this machine. Or <embed>put an explained bag into a page of your own</embed>: a lesson, a manual, a paper’s supplement.',
    sources: 'Sources',
    papers:
      'The methods, the sampling curve and the tests are those of Joseph Early, Christine Evers and Sarvapali Ramchurn, <cite>Model Agnostic Interpretability for Multiple Instance Learning</cite>, ICLR 2022. Bags of digits follow their 4-MNIST-Bags; the digits themselves are drawn by a generator of ours, and the vectors too. Shapley values in the guise of a weighted regression are due to Lundberg and Lee (2017), the surrogate around one input to Ribeiro, Singh and Guestrin (2016), attention pooling to Ilse, Tomczak and Welling (2018), and AOPC to Samek and others (2017).',
    limits:
      'An explanation tells what this model does, not what is true. Nothing here is a medical device. bagscope is free software under the Apache License 2.0.',
  },
};
