import type { Groups, Report } from 'bagscope';
import { expect, test } from 'vitest';
import { conceptsCSV } from '../../src/look/save/concepts';
import { fileName, reportCSV, reportJSON } from '../../src/look/save/export';

const rowsOf = async (...table: Parameters<typeof reportCSV>) =>
  (await (await reportCSV(...table)).text()).split('\n');

const report: Report = {
  summary: ['The model says “alarm” (75 %).'],
  missed: [
    {
      ...{ method: 'milli', class: 1, instance: 2, byItself: -0.25, missedHere: 0.5 },
      ...{ unit: 'log-odds', sentence: 'By itself instance 2 refutes “alarm”, but this …' },
    },
  ],
  prediction: [0.25, 0.75],
  folds: [],
  units: ['probability', 'probability'],
  output: 'prob',
  covariates: [
    {
      ...{ name: 'age', values: [63], reference: [50], adds: [-0.5, NaN] },
      ...{ units: ['log-odds', 'log-odds'], instead: [0.4, 0.6] },
    },
  ],
  classes: ['calm', 'alarm'],
  explanations: [
    {
      method: 'milli',
      settings: { samples: 150, alpha: 0.05 },
      class: 1,
      scores: [0.5, -0.25, NaN],
      unit: 'log-odds',
      stderr: [0.01, 0.02, Infinity],
      low: null,
      high: null,
      freedom: 6,
      neutral: 0,
      evident: [true, false, false],
      scale: { own: 0.5, shared: 0.5 },
      r2: NaN,
      evaluations: 153,
      folds: null,
      notes: ['of the method'],
    },
    {
      method: 'single',
      settings: { version: 2 },
      class: 0,
      scores: [1, 2, 3],
      unit: 'probability',
      stderr: null,
      low: [0, 1, 2],
      high: [1.5, 3, 4],
      freedom: 0,
      neutral: 2,
      evident: [true, false, true],
      scale: { own: 1, shared: 1 },
      r2: null,
      evaluations: 3,
      folds: null,
      notes: [],
    },
  ],
  skipped: [],
  evaluations: 156,
  seed: 7,
  notes: ['of the report'],
  instances: [0, 2, 5],
  coalitions: [],
  trust: [],
};

const about = {
  model: { name: 'm.onnx', sha256: 'ab12' },
  bag: {
    ...{ name: 'loud', instances: 6, instanceNames: [], featureNames: [] },
    ...{ boxes: null, slide: null },
  },
  classes: ['calm', 'alarm'],
  trust: [
    {
      ...{ method: 'milli' as const, classes: [1], aopcr: { milli: [0.5], single: [0.25] } },
      ...{ beaten: [10], correlation: [null], cuts: 2, sentences: ['It can be trusted.'] },
      ...{ shown: [2], sufficiency: [0.5], necessity: [null], recoverability: [null] },
      ...{ ranked: [3], least: [2] },
    },
  ],
  concepts: null,
  notes: ['of the model'],
};

test('JSON has the shape of the command line, with null for what is no number', () => {
  expect(JSON.parse(reportJSON(report, about))).toEqual({
    version: 1,
    model: { name: 'm.onnx', sha256: 'ab12' },
    bag: { name: 'loud', instances: 6, instance_names: [], feature_names: [] },
    without: [1, 3, 4],
    classes: ['calm', 'alarm'],
    summary: ['The model says “alarm” (75 %).'],
    missed: [
      {
        ...{ method: 'milli', class: 1, instance: 2, by_itself: -0.25, missed_here: 0.5 },
        ...{ unit: 'log-odds', sentence: 'By itself instance 2 refutes “alarm”, but this …' },
      },
    ],
    output: 'prob',
    units: ['probability', 'probability'],
    prediction: [0.25, 0.75],
    covariates: [
      {
        ...{ name: 'age', values: [63], reference: [50], adds: [-0.5, null] },
        ...{ units: ['log-odds', 'log-odds'], instead: [0.4, 0.6] },
      },
    ],
    explanations: [
      {
        method: 'milli',
        settings: { samples: 150, alpha: 0.05 },
        class: 1,
        scores: [0.5, -0.25, null],
        unit: 'log-odds',
        stderr: [0.01, 0.02, null],
        freedom: 6,
        low: null,
        high: null,
        neutral: 0,
        evident: [true, false, false],
        r2: null,
        evaluations: 153,
        notes: ['of the method'],
      },
      {
        method: 'single',
        settings: { version: 2 },
        class: 0,
        scores: [1, 2, 3],
        unit: 'probability',
        stderr: null,
        low: [0, 1, 2],
        high: [1.5, 3, 4],
        freedom: 0,
        neutral: 2,
        evident: [true, false, true],
        r2: null,
        evaluations: 3,
        notes: [],
      },
    ],
    skipped: [],
    trust: [
      {
        ...{ method: 'milli', classes: [1], aopc_r: { milli: [0.5], single: [0.25] } },
        ...{ beaten: [10], correlation: [null], cuts: 2, sentences: ['It can be trusted.'] },
        ...{ shown: [2], sufficiency: [0.5], necessity: [null], recoverability: [null] },
        ...{ ranked: [3], least: [2] },
      },
    ],
    evaluations: 156,
    seed: 7,
    notes: ['of the model', 'of the report'],
  });
});

test('models that are one have their predictions, their scores and how far they agree', async () => {
  const folds = [{ name: 'a.onnx', sha256: 'ab', prediction: [0.5, 0.5] }];
  const of = { scores: [[1, 2, NaN]], between: [0.5, 0, 2], agree: [1, 0, 1] };
  const interval = { low: [-1, 0, 1], high: [1, Infinity, 2] };
  const explanations = report.explanations.map((e) => ({ ...e, folds: { ...of, ...interval } }));
  const several = { ...report, folds, explanations };
  const json = JSON.parse(reportJSON(several, about)) as Report;
  expect(json.folds).toEqual(folds);
  expect(json.explanations[1]!.folds).toEqual({
    ...{ ...of, scores: [[1, 2, null]], low: [-1, 0, 1], high: [1, null, 2] },
  });
  const rows = await rowsOf(several, ['calm', 'alarm'], about.bag);
  expect(rows[0]).toMatch(/,version,between,agree$/);
  expect(rows[3]).toMatch(/,2,1$/);
});

test('a seed beyond what a JavaScript number holds keeps all its digits', () => {
  expect(reportJSON({ ...report, seed: 18446744073709551615n }, about)).toContain(
    '"seed": 18446744073709551615,',
  );
});

test('a class whose name looks like a large seed stays a text', () => {
  const classes = ['\u00001', '\n "seed": "1"'];
  const text = reportJSON({ ...report, seed: 18446744073709551615n }, { ...about, classes });
  expect((JSON.parse(text) as { classes: string[] }).classes).toEqual(classes);
  expect(text).toContain('"seed": 18446744073709551615,');
});

test('nothing is said to be left out of a whole bag', () => {
  const whole = { ...report, instances: [0, 1, 2] };
  expect(
    JSON.parse(reportJSON(whole, { ...about, bag: { ...about.bag, instances: 3 } })),
  ).not.toHaveProperty('without');
});

const boxes = [0, 1, 2, 3, 4, 5].map((i) => ({ x: 256 * i, y: 512, width: 256, height: 128 }));
const slide = {
  ...{ name: 'a slide', width: 4096, height: 2048, magnification: 40, mpp: 0.25 },
  ...{ patchSize: 256, overlap: 0, unit: '', origin: '' },
  ...{ boundsX: 0, boundsY: 0, boundsWidth: 4096, boundsHeight: 2048 },
};

test('places are written as the command line writes them', async () => {
  const bag = { ...about.bag, boxes, slide };
  const { slide: stated, ...rest } = JSON.parse(reportJSON(report, { ...about, bag }));
  expect(stated).toEqual({
    ...{ name: 'a slide', width: 4096, height: 2048, magnification: 40, mpp: 0.25 },
    ...{ patch_size: 256, origin: 'canvas' },
  });
  expect(rest.boxes).toEqual([
    [0, 512, 256, 640],
    [512, 512, 768, 640],
    [1280, 512, 1536, 640],
  ]);
  const lines = await rowsOf(report, about.classes, bag);
  expect(lines[0]).toMatch(/,evident,low,high,version,x0,y0,x1,y1,origin$/);
  expect(lines[2]).toBe('milli,1,alarm,2,-0.25,0.02,log-odds,0,false,,,,512,512,768,640,canvas');
});

test('places count from the bounds of a slide if a caller states it', async () => {
  const part = { ...slide, boundsX: 100, boundsY: 12, boundsWidth: 2000, boundsHeight: 1000 };
  const of = (slide: typeof part) => {
    const bag = { ...about.bag, boxes, slide };
    return { bag, json: JSON.parse(reportJSON(report, { ...about, bag })) };
  };
  const bounds = { bounds_x: 100, bounds_y: 12, bounds_width: 2000, bounds_height: 1000 };
  expect(of(part).json.slide).toMatchObject({ origin: 'canvas', ...bounds });
  expect(of(part).json.boxes[0]).toEqual([0, 512, 256, 640]);
  const { bag, json } = of({ ...part, origin: 'bounds' });
  expect(json.slide).toMatchObject({ origin: 'bounds', ...bounds });
  expect(json.boxes[0]).toEqual([-100, 500, 156, 628]);
  const lines = await rowsOf(report, about.classes, bag);
  expect(lines[2]).toMatch(/,412,500,668,628,bounds$/);
  // Micrometres count from where their file says.
  expect(of({ ...part, origin: 'bounds', unit: 'um' }).json).toMatchObject({
    slide: { origin: 'canvas', unit: 'um' },
    boxes: [[0, 512, 256, 640], expect.anything(), expect.anything()],
  });
});

test('names of instances and features are those of the whole bag', async () => {
  const instanceNames = ['a', 'b', 'c, d', 'e', 'f', '=g'];
  const bag = { ...about.bag, instanceNames, featureNames: ['x', 'y'], boxes };
  const saved = JSON.parse(reportJSON(report, { ...about, bag }));
  expect(saved.bag).toEqual({
    ...{ name: 'loud', instances: 6, instance_names: instanceNames, feature_names: ['x', 'y'] },
  });
  const lines = await rowsOf(report, about.classes, bag);
  expect(lines[0]).toMatch(/,version,instance_name,x0,y0,x1,y1,origin$/);
  expect(lines[2]).toMatch(/,false,,,,"c, d",512,512,768,640,canvas$/);
  expect(lines[3]).toMatch(/,false,,,,'=g,1280,/);
  const unplaced = await rowsOf(report, about.classes, { ...bag, boxes: null });
  expect(unplaced[1]).toMatch(/,true,,,,a$/);
});

test(
  'CSV has a row for each method, class and instance, instances by their place in the ' +
    'whole bag',
  async () => {
    const lines = await rowsOf(report, ['calm, mostly', '=alarm'], about.bag);
    expect(lines.slice(0, 5)).toEqual([
      'method,class,class_name,instance,score,stderr,unit,neutral,evident,low,high,version',
      "milli,1,'=alarm,0,0.5,0.01,log-odds,0,true,,,",
      "milli,1,'=alarm,2,-0.25,0.02,log-odds,0,false,,,",
      "milli,1,'=alarm,5,,,log-odds,0,false,,,",
      'single,0,"calm, mostly",0,1,,probability,2,true,0,1.5,2',
    ]);
    expect(lines).toHaveLength(8);
  },
);

test('a long CSV is written in pieces, between which the page can answer', async () => {
  const scores = Array.from({ length: 12_000 }, (_, i) => i / 3);
  const one = report.explanations[1]!;
  const long: Report = {
    ...report,
    instances: scores.map((_, i) => 2 * i),
    explanations: [{ ...one, scores, evident: scores.map((s) => s > 9) }],
  };
  let answered = false;
  setTimeout(() => (answered = true), 0);
  const lines = await rowsOf(long, report.classes, about.bag);
  expect(answered).toBe(true);
  expect(lines).toHaveLength(12_000 + 2);
  expect(lines[11_001]).toBe(`single,0,calm,22000,${11_000 / 3},,probability,2,true,,,2`);
  expect(new Set(lines).size).toBe(lines.length);
});

test('file names say what is in them and hold nothing odd', () => {
  expect(fileName(['digits.onnx', 'bag 0: two 8s', 'milli'], 'png')).toBe(
    'digits-bag_0_two_8s-milli.png',
  );
  expect(fileName(['../../a/b', '', 'x'], 'csv')).toBe('.._.._a_b-x.csv');
  expect(fileName([], 'json')).toBe('bagscope.json');
});

test('concepts have the keys and columns of the command', () => {
  const one = { without: 0.5, alone: null, effect: 2, shapley: 1.5, stderr: 0, p: 0.01 };
  const rest = { joint: [[0]], orders: 0, random: 199, contiguous: false, rule: null, additive: 1 };
  const concepts = {
    ...{ unit: 'log-odds', present: 2, absent: 0, ...rest },
    list: [{ name: '=ink', ...one, adjusted: 0.02, evident: true }],
  };
  const found = { class: 1, groups: [[0, 4]], concepts } as unknown as Groups;
  const saved = JSON.parse(reportJSON(report, { ...about, concepts: found }));
  expect([saved.class, saved.groups]).toEqual([1, [[0, 4]]]);
  expect(saved.concepts).toEqual({
    ...concepts,
    list: [{ name: '=ink', ...one, adjusted_p: 0.02, evident: true }],
  });
  expect(conceptsCSV(found)).toBe(
    'concept,instances,without,alone,effect,shapley,stderr,unit,p,adjusted_p,evident\n' +
      "'=ink,2,0.5,,2,1.5,0,log-odds,0.01,0.02,true\n",
  );
});
