import { BagscopeError } from 'bagscope';
import { expect, test } from 'vitest';
import { given, missing, withParts } from '../../src/look/open/external';

const file = (name: string, text = name) => new File([text], name);

test('the missing files are those that the engine names', () => {
  expect(missing(new BagscopeError('missing', 'two', { files: 'm.onnx.data\na/b c.bin' }))).toEqual(
    ['m.onnx.data', 'a/b c.bin'],
  );
  expect(missing(new BagscopeError('format', 'broken', { files: 'x' }))).toBeNull();
  expect(missing(new Error('m.onnx.data'))).toBeNull();
});

test('files are found by name, whatever their folder', () => {
  const files = ['x.csv', 'c.bin', 'm.onnx.data'].map((name) => file(name));
  expect(given(['m.onnx.data', 'a/c.bin', 'other'], files)).toEqual({
    'm.onnx.data': files[2],
    'a/c.bin': files[1],
  });
});

test('a file that two paths lead to is neither; of two with one name the last counts', () => {
  expect(given(['a/w', 'b/w', 'v'], [file('w'), file('v')])).toEqual({ v: expect.any(File) });
  const twice = [file('w', 'old'), file('w', 'new')];
  expect(given(['w'], twice).w).toBe(twice[1]);
  expect(Object.entries(given(['__proto__'], [file('__proto__')]))).toHaveLength(1);
});

test('a model is opened with the files that its error names, if one of them is there', async () => {
  const tensors = file('m.onnx.data');
  const open = (external: Record<string, File>) =>
    external['m.onnx.data']
      ? Promise.resolve('open')
      : Promise.reject(new BagscopeError('missing', 'one', { files: 'm.onnx.data' }));
  expect(await withParts([file('x'), tensors], open)).toEqual(['open', { 'm.onnx.data': tensors }]);
  const slide = file('slide.onnx');
  const chain = (external: Record<string, File>) => {
    const lacks = ['slide.onnx', 'm.onnx.data'].find((name) => !external[name]);
    return lacks
      ? Promise.reject(new BagscopeError('missing', lacks, { files: lacks }))
      : Promise.resolve('open');
  };
  expect((await withParts([tensors, slide], chain))[1]).toEqual({
    'slide.onnx': slide,
    'm.onnx.data': tensors,
  });
  await expect(withParts([slide], chain)).rejects.toThrow('m.onnx.data');
  expect(await withParts([], () => Promise.resolve('alone'))).toEqual(['alone', {}]);
  await expect(withParts([file('x')], open)).rejects.toThrow('one');
  await expect(withParts([tensors], () => Promise.reject(new Error('other')))).rejects.toThrow(
    'other',
  );
});
