// The sets of bags that the page writes from patches, read by the engine; and the files of features
// that every face reads, read by the engine as the page drives it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { load, type Engine, type Model } from 'bagscope';
import { prepare } from '../../src/look/lib/prepare';
import { archive, boxes, crc32, instances } from '../../src/look/read/bagset';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (name: string) => new Uint8Array(readFileSync(path.join(root, name)));
const given = (name: string) => new File([read(name)], path.basename(name));

let engine: Engine;
beforeAll(async () => {
  // Node has no navigator before version 21.
  vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
  engine = await load({ worker: false, wasm: read('wasm/npm/dist/bagscope.wasm') });
});
afterAll(() => engine.close());

describe('the corpus', () => {
  interface Case {
    model: string;
    file: string;
    array?: string;
    index?: number;
    instances: number;
    prediction: number[];
  }
  const cases = JSON.parse(
    readFileSync(path.join(root, 'testdata/corpus/corpus.json'), 'utf8'),
  ) as Case[];
  const models = new Map<string, Model>();
  const open = async (file: string) => {
    if (!models.has(file)) models.set(file, await engine.open(read(file)));
    return models.get(file)!;
  };
  // The browser decodes pictures; tests/browser/pictures.test.ts opens them.
  const features = cases.filter((c) => c.model.endsWith('features.onnx'));
  test.each(features.map((c) => [`${c.file} ${c.array ?? ''}`, c] as const))('%s', async (_, c) => {
    const model = await open(c.model);
    const { files, picture } = await prepare([given(c.file)], undefined, model.info, null);
    expect(picture).toBeNull();
    const { array, index } = c;
    const bag = await engine.bag(files, { model, array, index });
    expect(bag.instances).toBe(c.instances);
    const { prediction } = await model.predict(bag);
    // The engine computes in float32.
    c.prediction.forEach((p, i) => expect(Math.abs(prediction[i]! - p)).toBeLessThan(1e-6));
  });
});

test('the size of a slide comes with its bag', async () => {
  const bag = await engine.bag([given('www/tests/data/files/trident.h5')]);
  expect(bag.slide).toMatchObject({ width: 2500, height: 2000, patchSize: 256 });
  expect(bag.boxes?.[5]).toEqual({ x: 1256, y: 1256, width: 256, height: 256 });
});

describe('sets of bags that the page writes', () => {
  test('are read by the engine', async () => {
    const pixels = Uint8Array.from({ length: 24 }, (_, i) => 10 * i);
    const file = archive([
      instances([2, 3, 2, 2], [pixels.subarray(0, 12), pixels.subarray(12)]),
      boxes(Int32Array.of(0, 0, 2, 2, 4, 8, 6, 10)),
    ]);
    const bag = await engine.bag([new File([file], 'patches.npz')]);
    expect(bag).toMatchObject({ instances: 2, shape: [3, 2, 2], raw: true });
    expect(bag.boxes).toEqual([
      { x: 0, y: 0, width: 2, height: 2 },
      { x: 4, y: 8, width: 2, height: 2 },
    ]);
    expect([...(await bag.values())]).toEqual([...pixels]);
  });

  test('have the checksum of zip archives', () => {
    expect(crc32([new TextEncoder().encode('1234'), new TextEncoder().encode('56789')])).toBe(
      0xcbf43926,
    );
  });
});
