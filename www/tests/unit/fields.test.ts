import { methodOptions } from 'bagscope';
import { describe, expect, test } from 'vitest';
import { check, FieldError, fieldsFor, read } from '../../src/look/state/fields';

const milli = ['samples', 'alpha', 'beta', 'rank', 'paired', 'coalitions'];

test('a form shows the options of its method only, in its own order', () => {
  expect(fieldsFor(['beta', 'samples', 'unknown']).map((f) => f.name)).toEqual(['samples', 'beta']);
});

test('every option of the engine has a field with a label and a hint', () => {
  const names = methodOptions.map((o) => o.name);
  const fields = fieldsFor(names);
  expect(fields.map((f) => f.name)).toEqual(names);
  for (const f of fields)
    expect([f.name, f.label !== '', f.hint !== '']).toEqual([f.name, true, true]);
  for (const { name, choices = [] } of methodOptions) {
    const shown = fields.find((f) => f.name === name)!.choices ?? [];
    for (const { title } of choices) expect(shown.map(([, words]) => words)).toContain(title);
  }
});

test('texts become values; empty ones and those of other methods are not given', () => {
  const texts = {
    samples: ' 150 ',
    alpha: '.05',
    beta: '-5',
    rank: '',
    paired: 'yes',
    distance: 'l2',
  };
  expect(read(milli, texts)).toEqual({ samples: 150, alpha: 0.05, beta: -5, paired: true });
});

test('coalitions are lines of 0 and 1', () => {
  expect(read(milli, { coalitions: '0110\n1001\r\n' })).toEqual({ coalitions: ['0110', '1001'] });
});

describe('what is no value is refused in words', () => {
  test.each([
    ['samples', '1.5', 'must be a whole number'],
    ['samples', '0', 'must be at least 1'],
    ['samples', 'many', '“many” is not a number'],
    ['alpha', '1.2', 'must be below 1'],
    ['alpha', '1', 'must be below 1'],
    ['alpha', '0', 'must be above 0'],
    ['beta', '1001', 'must be at most 1000'],
    ['alpha', 'NaN', '“NaN” is not a number'],
    ['rank', 'best', '“best” is not a choice'],
    ['coalitions', '01\n02', 'line 2 must hold only 0 and 1'],
  ])('%s = %j', (name, text, reason) => {
    const field = fieldsFor([name])[0]!;
    expect(check(field, text)).toBe(reason);
    expect(() => read([name], { [name]: text })).toThrow(FieldError);
  });
});

test('the ends of a closed range are taken', () => {
  expect(read(milli, { samples: '1', beta: '1000' })).toEqual({ samples: 1, beta: 1000 });
});

test('an empty text is never wrong', () => {
  for (const field of fieldsFor(milli)) expect(check(field, '  ')).toBe('');
});
