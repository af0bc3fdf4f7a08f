// Predictions, many bags, faithfulness, and files to save.
import type { Curve } from 'bagscope';
import { count, percent, plain } from '../../../lib/format.ts';
import { capital, plural, several, type Noun } from '../phrases.ts';

/** A number above 0 with two digits. */
const roughly = (n: number) => (Number.isFinite(n) ? count(Number(n.toPrecision(2))) : '∞');

export const results = {
  prediction: {
    title: 'Prediction',
    values: 'The model’s values',
    likeness: 'Likeness to',
    says: (changed: boolean, models: number) =>
      `${models > 0 ? `The mean of ${models} models` : 'The model'} ${changed ? 'now ' : ''}predicts`,
    rest: (noun: Noun, out: number, all: number) =>
      `With ${count(out)} of ${several(noun, all)} removed.`,
    odds: (now: string, before: string) => `Odds ${now}, were ${before}.`,
    to: (n: number) => (n < 1 ? `1:${roughly(1 / n)}` : `${roughly(n)}:1`),
    all: (noun: Noun, n: number, scale: string) =>
      `For ${n === 1 ? `the only ${noun.one}` : `all ${count(n)} ${noun.several}`}` +
      `${scale ? `, as ${scale} scores` : ''}.`,
    starting: 'Starting the engine …',
    computing: 'Computing the prediction …',
    noneLeft: (noun: Noun) =>
      `All ${noun.several} of this bag are removed, and a model cannot predict an empty bag. The ` +
      'bars show the whole bag.',
    nothing: 'Open a model and a bag: drop the files anywhere on this page, or choose them here.',
    needsBag: (noun: Noun, sides: string) =>
      `${sides ? `The model takes ${noun.several} of ${sides}. ` : ''}Open a bag to see its prediction.`,
    needsModel: 'Open the model that predicts this bag.',
    list: 'Prediction for each class',
    shorter: 'Less',
    whole: 'More',
    survival: (c: Curve) =>
      `Survival curve of ${c.class}: ${c.edges
        .map((edge, j) => `${percent(c.survival[j]!)} at ${plain(edge)}`)
        .join(', ')} ${c.unit}.`,
    was: (value: string) => `was ${value}`,
    few: (n: number) => `Show only the top ${n}`,
    more: (n: number) => `Show all ${n} classes`,
  },

  batch: {
    title: 'Many bags',
    hint:
      'Explains every bag of the open file, or of several files, by the chosen method. ' +
      'Select a row to open its bag.',
    here: (n: number) => (n > 1 ? `Explain all ${count(n)} bags` : 'Explain this bag'),
    dropped: (n: number) => `Explain all ${plural(n, 'file')} dropped`,
    choose: 'Choose files …',
    progress: 'Bags explained',
    done: (n: number, all: number) => `${count(n)} of ${count(all)}`,
    csv: 'Save table as CSV',
    json: 'Save table as JSON',
    table: 'Bags and predictions',
    bag: 'Bag',
    instances: (noun: Noun) => capital(noun.several),
    says: 'Prediction',
    top: (noun: Noun) => `Strongest ${noun.several}`,
    most: (n: string) => `The first ${n} rows are shown; the files hold all.`,
  },

  judge: {
    title: 'Is the explanation faithful?',
    hint: (noun: Noun) =>
      `${capital(noun.several)} are removed in the order of their scores. With a good order the ` +
      'prediction drops sooner than with random orders.',
    ask: 'Measure faithfulness',
    again: 'Measure again',
    progress: 'Model evaluations of the measurement',
    figure: (noun: Noun, method: string, className: string, aopc: number) =>
      `The prediction of “${className}” while ${noun.several} are removed by ${method}: AOPC-R ` +
      `${plain(aopc)}.`,
    axis: (noun: Noun) => `removed ${noun.several}`,
    morf: 'most relevant first',
    lerf: 'least relevant first',
    random: 'random order',
    table: 'Faithfulness of all explanations',
    method: 'Method',
    class: 'Class',
    error: 'standard error',
    cost: (n: string) =>
      `${n} coalitions were evaluated; AOPC-R is the mean over 10 random orders. R² ` +
      'measures how well the surrogate fits the sampled coalitions.',
  },

  save: {
    title: 'Save',
    menu: 'Save',
    png: 'Save PNG',
    svg: 'Save SVG',
    json: 'Save JSON',
    csv: 'Save CSV',
    geojson: 'Save GeoJSON',
    geojsonHint: 'The patches with their scores as polygons, which QuPath opens.',
    strongest: 'Save patches',
    strongestHint:
      'The patches with the highest and the lowest scores of each class, as pictures in a ZIP archive',
    seg: 'Save DICOM SEG',
    segHint:
      'The map as a DICOM segmentation that refers to the pictures; it names no patient by itself',
    sr: 'Save DICOM SR',
    srHint:
      'The slices or patches that stand out, as a DICOM structured report; it names no patient ' +
      'by itself',
    identifiers: 'Name the patient by a file …',
    identifiersHint:
      'Copies the patient and the study of a DICOM file of the same study into SEG and SR',
    anonymous: 'Name no patient',
    ome: 'Save OME-TIFF',
    omeHint:
      'The heat map of all classes over the slide, which QuPath and other viewers of slides open',
    dzi: 'Save DZI',
    dziHint:
      'The heat map of the shown class over the slide, as tiles in a ZIP archive for viewers in pages',
    tiles: 'Tiles of the heat map',
    saved: (name: string) => `${name} is saved.`,
    report: 'Save report',
    replay: 'Save replay file',
    replayHint: 'To replay, drop the file together with its model and bag',
    link: 'Copy link',
    copied: 'Copied',
    linkSaid: 'The link is copied.',
    linkFault: {
      title: 'The link could not be copied',
      text: 'Copy it from the address bar.',
    },
    tooLarge:
      'the picture is too large for a PNG file; zoom in and save a part of it, or save the SVG',
  },

  replay: {
    wait: (what: string) => ({
      title: 'This file replays an explanation',
      text: `Drop ${what} together with it or now.`,
    }),
    model: (names: string, n: number) => `its ${n === 1 ? 'model' : 'models'}, ${names}`,
    bag: (names: string) => `its data, ${names}`,
    and: ' and ',
    other: (what: string, name: string) => ({
      title: 'This is not the same explanation',
      text:
        `The open ${what} has another SHA-256 than ${name}, which the file was saved with. ` +
        'The settings are used; the picture may differ.',
    }),
    same: 'Replayed: model, data and settings are the same (SHA-256).',
    broken: { title: 'This file cannot be read', text: 'It is an incomplete replay file.' },
    newer: (name: string) =>
      `${name} replays by another version of this page; open it where it was saved`,
    large: (name: string) => `${name} is larger than 16 MiB, the most that is read of a JSON file`,
  },

  report: {
    title: (model: string, bag: string) => `${model}: ${bag}`,
    made: (version: string) =>
      `Made by bagscope ${version} on the reader’s own machine. This file is complete: ` +
      'it needs no script and makes no request.',
    notDiagnosis: 'It explains a model and is not a diagnosis.',
    prediction: 'Prediction',
    of: (noun: Noun, n: number, out: number) =>
      `For ${several(noun, n)}${out > 0 ? `, ${count(out)} of them removed` : ''}.`,
    explanation: 'Explanation',
    strongest: (noun: Noun) => `The strongest ${noun.several}`,
    both: (className: string) =>
      `${className}: what the strongest do by themselves, and what this bag loses without them`,
    table: 'All scores',
    how: 'How it was made',
    hash: 'SHA-256',
    data: 'Data',
    slide: 'Slide',
    model: 'Model',
    method: 'Method',
    seed: 'Seed',
    notes: 'Notes',
    faithful: 'Faithfulness',
    class: 'Class',
    value: 'Value',
    input: 'Input',
    reference: 'Compared with',
    adds: (className: string) => `Adds to ${className}`,
    instance: (noun: Noun) => capital(noun.one),
    index: 'Index in the file',
    agree: (className: string) => `${className}: models that agree on the sign`,
    between: (className: string) => `${className}: standard deviation between models`,
  },
};
