import type { Report } from 'bagscope';
import { expect, test } from 'vitest';
import { fileName, reportCSV, reportJSON } from '../../src/lib/export';

const report: Report = {
  prediction: [0.25, 0.75],
  output: 'prob',
  explanations: [
    {
      method: 'milli',
      settings: { samples: 150, alpha: 0.05 },
      class: 1,
      scores: [0.5, -0.25, NaN],
      stderr: [0.01, 0.02, Infinity],
      r2: NaN,
      evaluations: 153,
      notes: ['not written'],
    },
    {
      method: 'single',
      settings: {},
      class: 0,
      scores: [1, 2, 3],
      stderr: null,
      r2: null,
      evaluations: 3,
      notes: [],
    },
  ],
  skipped: [],
  evaluations: 156,
  seed: 7,
  notes: [],
  instances: [0, 2, 5],
  coalitions: [],
};

test('JSON has the shape of the command line, with null for what is no number', () => {
  expect(JSON.parse(reportJSON(report))).toEqual({
    prediction: [0.25, 0.75],
    explanations: [
      {
        method: 'milli',
        settings: { samples: 150, alpha: 0.05 },
        class: 1,
        scores: [0.5, -0.25, null],
        stderr: [0.01, 0.02, null],
        r2: null,
        evaluations: 153,
      },
      { method: 'single', settings: {}, class: 0, scores: [1, 2, 3], stderr: null, r2: null, evaluations: 3 },
    ],
    evaluations: 156,
    seed: 7,
  });
});

test('a seed beyond what a JavaScript number holds keeps all its digits', () => {
  expect(reportJSON({ ...report, seed: 18446744073709551615n })).toContain('"seed": 18446744073709551615\n');
});

test('CSV has a row for each method, class and instance, instances by their place in the whole bag', () => {
  const lines = reportCSV(report, ['calm, mostly', '=alarm']).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'method,class,class_name,instance,score,stderr',
    "milli,1,'=alarm,0,0.5,0.01",
    "milli,1,'=alarm,2,-0.25,0.02",
    "milli,1,'=alarm,5,,",
    'single,0,"calm, mostly",0,1,',
  ]);
  expect(lines).toHaveLength(8);
});

test('file names say what is in them and hold nothing odd', () => {
  expect(fileName(['digits.onnx', 'bag 0: two 8s', 'milli'], 'png')).toBe('digits-bag_0_two_8s-milli.png');
  expect(fileName(['../../a/b', '', 'x'], 'csv')).toBe('.._.._a_b-x.csv');
  expect(fileName([], 'json')).toBe('bagscope.json');
});
