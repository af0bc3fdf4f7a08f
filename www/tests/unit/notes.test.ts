import type { Explanation } from 'bagscope';
import { expect, test } from 'vitest';
import { methodNotes } from '../../src/look/map/legend';

const explanations = (...notes: string[][]): Explanation[] =>
  notes.map((list, at) => ({ class: at, notes: list }) as unknown as Explanation);
const name = (c: number) => `class ${c}`;

test('a note is a sentence, said once for all classes', () => {
  expect(
    methodNotes(explanations(['all are known', 'Twice?'], ['all are known', 'Twice?']), name),
  ).toEqual(['All are known.', 'Twice?']);
  expect(methodNotes(explanations(['it is one class']), name)).toEqual(['It is one class.']);
  expect(methodNotes([], name)).toEqual([]);
});

test('a note that some classes have names them, at most three', () => {
  const [yes, no] = [['the scores are separated'], ['the scores are not separated']];
  expect(methodNotes(explanations(yes, no, yes), name)).toEqual([
    'For “class 0”, “class 2”: the scores are separated.',
    'For “class 1”: the scores are not separated.',
  ]);
  expect(methodNotes(explanations(no, no, no, no, yes), name)[0]).toBe(
    'For “class 0”, “class 1”, “class 2” and 1 more class: the scores are not separated.',
  );
  expect(methodNotes(explanations(no, no, no, no, no, yes), name)[0]).toMatch(
    /and 2 more classes: /,
  );
});
