// Rows of CSV files: what a spreadsheet could run as a formula is text, as in the command line's.
import { readFileSync } from 'node:fs';
import { visible } from 'bagscope';
import { expect, test } from 'vitest';
import { batchCSV } from '../../src/look/batch/batch';
import { csvRow } from '../../src/look/state/csv';

const cells = JSON.parse(
  readFileSync(new URL('../../../internal/csvfile/testdata/cells.json', import.meta.url), 'utf8'),
) as Record<string, string>;

/** The cell that a reader of CSV finds in a row of one. */
const read = (row: string) =>
  row.startsWith('"') ? row.slice(1, -2).replaceAll('""', '"') : row.slice(0, -1);

test('cells are those that Go writes', () => {
  expect(Object.keys(cells).length).toBeGreaterThan(20);
  for (const [text, cell] of Object.entries(cells)) expect(read(csvRow([text]))).toBe(cell);
});

test('numbers stay numbers, and what is none is empty', () => {
  expect(csvRow([-0.25, 1e-7, NaN, -Infinity, null, undefined, false, 'a "b", c'])).toBe(
    '-0.25,1e-7,,,,,false,"a ""b"", c"\n',
  );
});

test('the table of many bags defuses names of bags, files and classes, and faults', () => {
  const row = {
    files: [new File([], '@b.npz')],
    index: 0,
    name: '=a\u202e',
    instances: 3,
    prediction: null,
    predicted: 0,
    top: [{ instance: 2, score: -0.5 }],
    drawn: null,
    fault: '-x\ny',
  };
  expect(batchCSV([row], ['+c', 'd;=e']).split('\n')).toEqual([
    "bag,file,index,instances,class,class_name,p +c,p d;'=e,instance_1,score_1,instance_2,score_2," +
      'instance_3,score_3,fault',
    "'=a\\u202e,'@b.npz,0,3,0,'+c,,,2,-0.5,,,,,'-x\\ny",
    '',
  ]);
});

test('a name is one line of visible characters', () => {
  expect(visible('fdp\u202egnp.exe\u2066\u2028\ud800')).toBe(
    'fdp\\u202egnp.exe\\u2066\\u2028\\ud800',
  );
  expect(visible('a\nb\tc\u001b[2J\u009b\u{e0041}')).toBe('a\\nb\\tc\\x1b[2J\\x9b\\U000e0041');
  expect(visible('ü 漢 😀 می\u200cخواهم 👩\u200d🔬')).toBe('ü 漢 😀 می\u200cخواهم 👩\u200d🔬');
});
