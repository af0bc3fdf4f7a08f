// The picture of the bag: rows or slide, one instance, the legend, the table.
import { count, number, percent, plain, signed } from '../../../lib/format.ts';
import {
  capital,
  note,
  one,
  plural,
  sentence,
  several,
  shape,
  verb,
  type Noun,
} from '../phrases.ts';

const IN_ROWS = 'The patches are shown in rows.';

export const picture = {
  lastInstance: (noun: Noun) => ({
    title: `The last ${noun.one} cannot be removed`,
    text: 'A model cannot predict an empty bag. Restore another one first.',
  }),
  emptyBag: (noun: Noun) => ({
    title: `All ${noun.several} of this bag are removed`,
    text: 'A model cannot predict an empty bag. Restore one first.',
  }),
  /** What the engine calls instances for which the card has no noun. */
  nouns: {
    instance: { one: 'instance', several: 'instances' },
    patch: { one: 'patch', several: 'patches' },
    slice: { one: 'slice', several: 'slices' },
  } as Readonly<Record<string, Noun>>,
  moved: (noun: Noun, instances: readonly number[], back: boolean) => {
    const done = back ? 'restored' : 'removed';
    return instances.length === 1
      ? `${capital(one(noun, instances[0]!))} is ${done}.`
      : `${several(noun, instances.length)} are ${done}.`;
  },
  undo: {
    title: 'Removals',
    undo: 'Undo',
    redo: 'Redo',
    undone: 'Undone.',
    redone: 'Done again.',
    hide: 'Hide this notice',
  },
  outOfBag: 'removed',
  /** 'patch 7 supports “a gland” by 0.31', and its verb alone. */
  sentence,
  verb,
  shape,
  instanceAlone: one,
  instance: (noun: Noun, i: number) => capital(one(noun, i)),

  place: {
    help: (noun: Noun) =>
      `Arrow keys select one of the ${noun.several}. X or Delete removes it, or restores it. Shift with an ` +
      `arrow key selects a rectangle of ${noun.several}. Plus and minus zoom, 0 shows the whole ` +
      'picture.',
    tools: 'Picture tools',
    closer: 'Zoom in',
    further: 'Zoom out',
    all: 'Show all',
    left: 'Move left',
    right: 'Move right',
    up: 'Move up',
    down: 'Move down',
    more: 'More',
    lasso: 'Lasso',
    lassoOn: (noun: Noun) =>
      `Draw a line around ${noun.several} to remove them. If all of them are removed, they are ` +
      'restored.',
    map: 'Map',
    mapHint: 'M shows or hides the map.',
    strength: 'Colour',
    top: 'Only the top',
    topNone: (noun: Noun) => `all ${noun.several}`,
    topSome: several,
    classOn: 'Class on the picture',
    shown: 'View of the bag',
    asPicture: 'On the picture',
    asStrip: (noun: Noun) => `${capital(noun.several)} in rows`,
    rectangle: (noun: Noun, n: number) =>
      `A rectangle of ${several(noun, n)}. X removes or restores them.`,
    zoomed: (percent: number) => `${count(percent)} %`,
  },

  volume: {
    title: 'Slices',
    bar: 'Slice',
    slice: (index: number, n: number, mm: number | undefined, score: string) =>
      [
        ...(score ? [score] : []),
        `slice ${count(index + 1)} of ${count(n)}`,
        ...(mm === undefined ? [] : [`at ${plain(mm, 1)} mm`]),
      ].join(', '),
    facts: (s: { rowSpacing: number; columnSpacing: number; thickness: number }) =>
      [
        ...(s.rowSpacing > 0
          ? [`${plain(s.columnSpacing, 2)} × ${plain(s.rowSpacing, 2)} mm a pixel`]
          : []),
        ...(s.thickness > 0 ? [`${plain(s.thickness, 2)} mm thick`] : []),
        'wheel or arrow keys: other slices; drag: window and level',
      ].join(', '),
    centre: 'Level',
    width: 'Window',
    reset: 'Reset window',
  },

  slide: {
    viewer: (name: string) => `Slide ${name}`,
    facts: (width: number, height: number, microns: number, power: number, levels: number) =>
      [
        `${count(width)} × ${count(height)} pixels`,
        ...(microns > 0 ? [`${plain(Number(microns.toPrecision(4)), 4)} µm a pixel`] : []),
        ...(power > 0 ? [`${power}×`] : []),
        `${plural(levels, 'level')}.`,
      ].join(', '),
    private:
      'The file has a picture of the label or of the glass, which may name a patient. It is not ' +
      'read.',
    both: 'Side by side',
    bare: 'The slide alone',
    colours: 'Shading',
    each: 'by patch',
    smooth: 'smooth',
    bar: (text: string) => `Scale bar: ${text}`,
    help:
      'Drag to move, scroll or pinch to zoom. On the keyboard: arrow keys, plus and minus, and 0 ' +
      'for the whole slide. Lasso removes a region.',
    alone:
      'The slide is open. Add features of its patches with coordinates, such as an .h5 of ' +
      'TRIDENT or CLAM, and their model to see a map over it; or a model and its encoder, to make ' +
      'the features here.',
    noViewer: 'the viewer could not be fetched; reload the page',
    failed: (reason: string) => `A part of the slide cannot be shown: ${reason}`,
  },

  card: {
    takeOut: 'Remove',
    putBack: 'Restore',
    one: (noun: Noun) => `Selected ${noun.one}`,
    rename: (noun: Noun) => `Name the ${noun.one}`,
    name: (noun: Noun, i: number) => `Name of ${noun.one} ${number(i)}`,
    scores: (noun: Noun, i: number) => `Scores of ${one(noun, i)}`,
    /** What the score is a mean of; empty for methods that are no such mean. */
    range: (low: number | undefined, high: number | undefined) =>
      low === undefined || high === undefined ? '' : `${signed(low)} to ${signed(high)}`,
    rangeHint: (noun: Noun) =>
      `The score is a mean over bags of other ${noun.several}. These are the smallest and the ` +
      'largest value among large ones: how much the company matters, not an error.',
    none: 'No explanation yet.',
    hint: (noun: Noun) =>
      `Click one of the ${noun.several} in the picture, touch it, or select it with Tab and the ` +
      'arrow keys to see its scores for every class.',
    isOut: 'Removed.',
    label: (label: number) => `Annotated: ${label}.`,
    /** Its index in files, from 0. */
    index: (i: number) => `Index ${i}.`,
    at: (x: number, y: number) => `x ${count(x)} µm, y ${count(y)} µm`,
  },

  missed: {
    title: (noun: Noun, className: string) => `The ${noun.one} and “${className}”`,
    score: 'By itself',
    scoreHint: (noun: Noun) => `The score: a mean over many mixtures of the other ${noun.several}.`,
    here: 'Missed here',
    hereHint: (noun: Noun) => `How much the value of this bag falls without the ${noun.one}.`,
    differ: (falls: boolean, className: string) =>
      falls
        ? `By itself it refutes “${className}”, but this bag without it has a lower value.`
        : `By itself it supports “${className}”, but this bag without it has a higher value.`,
  },

  strip: {
    help: (noun: Noun) =>
      `Arrow keys select one of the ${noun.several}, X or Delete removes it or restores it. The ` +
      'table has all scores.',
    table: 'The table below has all numbers.',
    strongest: (noun: Noun, n: number, all: number) =>
      `The picture shows the ${count(n)} strongest of ${several(noun, all)}; the table has all.`,
  },

  list: {
    title: (className: string) => `“${className}”`,
    file: 'In the order of the file',
    for: (n: number) => `For: ${count(n)}`,
    against: (n: number) => `Against: ${count(n)}`,
    rest: (n: number, share: number) => `Rest: ${count(n)}, ${percent(share)}`,
    more: (n: number) => `Show ${count(n)} more`,
    fewer: 'Show fewer',
    near: 'A double click or Enter shows it from near.',
  },

  unplaced: {
    none: `The slide is not shown under the patches because their file has no coordinates. ${IN_ROWS}`,
    microns:
      'The picture is not shown under the patches because their coordinates are in micrometres, ' +
      'and neither their file nor the picture states how many a pixel covers. ' +
      `${IN_ROWS}`,
    negative:
      'The picture is not shown under the patches because some coordinates are negative. ' +
      `${IN_ROWS}`,
    beyondPicture: (
      reach: { right: number; bottom: number },
      full: { width: number; height: number },
    ) =>
      'The picture is not shown under the patches: their coordinates reach ' +
      `${reach.right} × ${reach.bottom}, the picture has ${full.width} × ${full.height} ` +
      'pixels, and no file states the size of the slide. Add the attributes level0_width ' +
      'and level0_height to the features, or open the slide as a TIFF in full size. ' +
      `${IN_ROWS}`,
    beyondSlide: (
      reach: { right: number; bottom: number },
      slide: { width: number; height: number },
    ) =>
      'The picture is not shown under the patches: their coordinates reach ' +
      `${reach.right} × ${reach.bottom}, beyond the slide of ${slide.width} × ` +
      `${slide.height} that the file states. ${IN_ROWS}`,
    proportions: (
      slide: { width: number; height: number },
      full: { width: number; height: number },
    ) =>
      `The picture is not shown under the patches: it has ${full.width} × ${full.height} ` +
      `pixels, and the slide of ${slide.width} × ${slide.height} has other proportions. ` +
      `${IN_ROWS}`,
  },

  trust: {
    of: (className: string, sentence: string) =>
      `Trust in the scores of “${className}”: ${sentence}`,
    measuring: 'Measuring the trust in the scores …',
    ask: 'Measure the trust in the scores',
  },

  legend: {
    title: 'Legend',
    for: 'for',
    against: 'against',
    colours: 'Palette of for and against',
    pairs: { 'blue-orange': 'Blue and orange', 'green-red': 'Green and red' },
    /** A number of a class: "an 8: 12". */
    of: (number: string, className: string) => `${className}: ${number}`,
    shared: (unit: string, classes: number) =>
      `${unit}${classes > 1 ? `, one scale for ${classes} classes` : ''}`,
    common: (unit: string, bags: number) => `${unit}, one scale for ${count(bags)} bags`,
    own: (numbers: string, unit: string) =>
      `each class on its own scale; 100 % is, in ${unit}: ${numbers}`,
    units: (numbers: string) => `each unit on its own scale; 100 % is ${numbers}`,
    ownOne: (unit: string, className: string) => `${unit}, scale of “${className}” alone`,
    percent: ['−100 %', '+100 %'] as const,
    small: (n: string) => `${n} below 5 % of the strongest colour have none`,
    largest: (difference: string, unit: string) =>
      `${unit}; the largest difference is ${difference}`,
    neutral: (numbers: string) => `measured from the neutral point ${numbers}`,
    fromZero: '0',
    fromNeutral: 'the neutral point',
    grey: (n: number, all: number, from: string) =>
      `${count(n)} of ${count(all)} do not stand out from ${from}`,
    unknown: 'no errors are known: nothing is claimed to stand out',
    range: (low: string, high: string) => `Colours from ${low} (refutes) to ${high} (supports)`,
    top: (n: number) => `bright: the ${count(n)} highest scores`,
    perClass: 'Each class on its own scale',
    perBag: 'Each bag on its own scale',
  },

  bags: {
    before: 'Previous bag',
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
    how: (noun: Noun) =>
      `Click or touch one of the ${noun.several} to select it. To remove it, press X or Delete, or Remove in ` +
      'its card.',
    yes: 'yes',
    made: (settings: readonly string[], seed: string, evaluations: number) =>
      `${settings.length > 0 ? `: ${settings.join(', ')}` : ''}, seed ${seed}. ` +
      `${plural(evaluations, 'model evaluation')}`,
    fit: (r2: string, className: string) => `, surrogate R² ${r2} for “${className}”.`,
    note,
    skipped: (method: string, reason: string) => `${method} is not available: ${reason}`,
    more: (n: number) => plural(n, 'more note'),
    unsigned: (noun: Noun) =>
      `These scores are the same for every class. They show which ${noun.several} the model ` +
      'uses, and are not evidence for a class.',
  },

  table: {
    title: 'Scores as a table',
    hint: (noun: Noun, n: number) =>
      `${several(noun, n)}, numbered from 1; indices of files count from 0. + supports the class, ` +
      '− refutes it; grey does not stand out. Select a column heading to ' +
      'sort.',
    region: 'Scores (scrollable)',
    inBag: 'In the bag',
    move: (noun: Noun, isOut: boolean, i: number) =>
      `${isOut ? 'Restore' : 'Remove'} ${one(noun, i)}`,
    more: (n: number) => `Show ${plural(n, 'more row')}`,
    first: (n: number) => `Show only the first ${n} rows`,
  },

  tray: {
    out: 'Removed:',
    back: (noun: Noun, i: number) => `Restore ${one(noun, i)}`,
    more: (n: number) => `and ${count(n)} more`,
    all: 'Restore all',
  },

  again: {
    stale: (whole: boolean) =>
      whole
        ? 'The grey scores are those of the whole bag.'
        : 'The grey scores are those before the last change.',
    whole: 'Explain the whole bag',
    left: (noun: Noun) => `Explain the remaining ${noun.several}`,
    takes: (seconds: number) =>
      seconds < 90
        ? ` (about ${seconds} s)`
        : ` (about ${plural(Math.round(seconds / 60), 'minute')})`,
  },

  compare: {
    with: 'Compare with',
    nothing: 'nothing',
    class: 'Class to compare with',
    one: (method: string, className: string) => `${method}: “${className}”`,
    missing: 'The report does not include this method yet.',
  },
};
