// The files of features that every face reads, read by the engine as the page drives it; and pictures
// whose pixels the page sends.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { load, type Engine, type Model, type PatchOptions } from 'bagscope';
import { prepare } from '../../src/look/open/prepare';
import type { Calls } from '../../src/look/read/calls';
import { reader } from '../../src/look/read/reader';

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
  const features = cases.filter((c) => !c.model.endsWith('pixels.onnx'));
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

describe('pictures', () => {
  const [width, height] = [90, 61];
  const pixels = new Uint8Array(4 * width * height).map((_, i) => (i % 4 === 3 ? 255 : i * 7));
  const decode = vi.fn(async () => ({ id: 1, width, height, full: { width, height }, notes: [] }));
  const calls = { picture: decode } as unknown as Calls;
  vi.spyOn(reader, 'serve').mockImplementation(async (_, port) => {
    port.onmessage = ({ data: { at, length } }) => port.postMessage(pixels.slice(at, at + length));
  });
  const given = [new File(['any bytes'], 'a.avif')];

  test('are cut from pixels as their model states, and decoded once', async () => {
    decode.mockClear();
    const model = await engine.open(read('examples/digits/model.onnx'));
    const first = await prepare(given, { stride: 14 }, model.info, null, calls);
    const set = await engine.bags(first.files, { model, patch: first.patch });
    expect(set.cut).toMatchObject({ size: 28, stride: 14, across: 5, down: 3, channels: 1 });
    const again = await prepare(given, { stride: 28 }, model.info, first, calls);
    const bag = await (await engine.bags(again.files, { model, patch: again.patch })).bag(0);
    expect(bag.instances).toBe(6);
    expect(decode).toHaveBeenCalledTimes(1);
    const [r, g, b] = pixels;
    expect((await bag.values())[0]).toBe(Math.floor(0.299 * r! + 0.587 * g! + 0.114 * b!));
  });

  test('get a usual side only if nothing states one', async () => {
    const cut = async (patch?: PatchOptions) => {
      const { files, patch: own } = await prepare(given, patch, null, null, calls);
      return (await engine.bags(files, { patch: own })).cut!.size;
    };
    expect(await cut()).toBe(61);
    expect(await cut({ background: 200 })).toBe(61);
    expect(await cut({ size: 20 })).toBe(20);
  });
});
