import { BagscopeError } from 'bagscope';
import { expect, test } from 'vitest';
import { bytesOf } from '../../src/look/read/bytes';
import { withParts } from '../../src/look/open/external';
import { describe } from '../../src/look/state/problem';

/** A file of which only the size and the reads are known. */
function sized(size: number) {
  const file = new File([], 'model.onnx');
  const reads: number[] = [];
  Object.defineProperty(file, 'size', { value: size });
  file.slice = (at = 0, end = size) => {
    reads.push(at);
    return new Blob([new Uint8Array(Math.min(end, size) - at).fill(reads.length)]);
  };
  return { file, reads };
}

test('a model of 2 GiB is refused before any of it is read', async () => {
  const { file, reads } = sized(2 ** 31);
  await expect(bytesOf(file, {})).rejects.toThrow(
    /^model.onnx has 2 GiB .* Export it with external data, and open all of its files together$/,
  );
  expect(reads).toEqual([]);
  // The graph alone is small, and its weights come with it.
  const [graph, weights] = [new File(['graph'], 'm.onnx'), new File(['weights'], 'm.onnx.data')];
  expect(await bytesOf(graph, {})).toHaveLength(5);
  const open = async (external: Record<string, File>) => {
    if (!external['m.onnx.data'])
      throw new BagscopeError('missing', 'one', { files: 'm.onnx.data' });
    return bytesOf(external['m.onnx.data'], {});
  };
  expect((await withParts([graph, weights], open))[0]).toHaveLength(7);
});

test('a file that cannot be read any more is chosen again', async () => {
  const moved = new File(['bag'], 'bag.csv');
  moved.arrayBuffer = () => Promise.reject(new DOMException('moved', 'NotReadableError'));
  const error: unknown = await bytesOf(moved, {}).catch((e: unknown) => e);
  expect(describe(error).text).toMatch(/^The browser cannot read a file .* Choose it again\.$/);
  expect(await bytesOf(new File(['bag'], 'bag.csv'), {})).toHaveLength(3);
});

test('a large file is read in parts, whose progress is told', async () => {
  const { file, reads } = sized(2 ** 25 + 1);
  const told: number[] = [];
  const bytes = await bytesOf(file, { onProgress: (_, done) => void told.push(done) });
  expect(reads).toEqual([0, 2 ** 24, 2 ** 25]);
  expect(told).toEqual(reads);
  expect([bytes[0], bytes[2 ** 24], bytes[2 ** 25]]).toEqual([1, 2, 3]);
  const whole = sized(2 ** 25);
  await bytesOf(whole.file, {});
  expect(whole.reads).toEqual([0, 2 ** 24]);
  const ended = sized(2 ** 25);
  await expect(bytesOf(ended.file, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(ended.reads).toEqual([]);
});
