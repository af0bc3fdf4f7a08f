import { expect, test } from 'vitest';
import { bytesOf } from '../../src/look/lib/bytes';

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
  await expect(bytesOf(file, {})).rejects.toThrow('model.onnx has 2 GiB or more');
  expect(reads).toEqual([]);
});

test('a large file is read in parts, whose progress is told', async () => {
  const { file, reads } = sized(2 ** 25 + 1);
  const told: number[] = [];
  const bytes = await bytesOf(file, { onProgress: (_, done) => void told.push(done) });
  expect(reads).toEqual([0, 2 ** 24, 2 ** 25]);
  expect(told).toEqual(reads);
  expect([bytes[0], bytes[2 ** 24], bytes[2 ** 25]]).toEqual([1, 2, 3]);
});
