import { expect, test } from 'vitest';
import { dropped, MOST_FILES, role, sort } from '../../src/look/open/files';
import { isPicture } from '../../src/look/state/formats';
import { describe as words } from '../../src/look/state/problem';

const file = (name: string) => new File([name], name);

test('a file is for what its name says', () => {
  expect(['m.ONNX', 'm.bagscope.json', 'b.npz', 'b.csv.gz', 'p.png', 'noending'].map(role)).toEqual(
    ['model', 'card', 'bag', 'bag', 'bag', 'bag'],
  );
});

test('of a drop, models, cards and parts of a bag are told apart', () => {
  const found = sort(['a.png', 'm.onnx', 'm.bagscope.json', 'b.png'].map(file));
  expect(found.model?.name).toBe('m.onnx');
  expect(found.card?.name).toBe('m.bagscope.json');
  expect(found.bag.map((f) => f.name)).toEqual(['a.png', 'b.png']);
});

test('of several models the one with its card counts, else the last', () => {
  const model = (...names: string[]) => sort(names.map(file)).model?.name;
  expect(model('head.onnx', 'slide.onnx')).toBe('slide.onnx');
  expect(model('head.onnx', 'slide.onnx', 'head.bagscope.json')).toBe('head.onnx');
  const found = sort(['head.onnx', 'slide.onnx', 'head.bagscope.json'].map(file));
  expect(found.unused.map((f) => f.name)).toEqual(['slide.onnx']);
});

test('pictures are known by their endings', () => {
  expect(['a.PNG', 'b.jpeg', 'c.jpg', 'd.npz'].map(isPicture)).toEqual([true, true, true, false]);
});

// A drop as browsers hand it over: a folder gives its entries in parts, the last of them empty.
function entry(name: string, children?: unknown[]) {
  const parts = children ? [children.slice(0, 1), children.slice(1), []] : [];
  return {
    name,
    isFile: !children,
    isDirectory: !!children,
    file: (done: (f: File) => void) => done(file(name)),
    createReader: () => ({
      readEntries: (done: (e: unknown[]) => void) => done(parts.shift() ?? []),
    }),
  };
}
const transfer = (...entries: unknown[]) =>
  ({
    items: entries.map((e) => ({ webkitGetAsEntry: () => e })),
    files: [file('plain.npy')],
  }) as unknown as DataTransfer;

test('a dropped folder is opened, hidden files left out', async () => {
  const folder = entry('nuclei', [
    entry('1.png'),
    entry('2.png'),
    entry('.hidden'),
    entry('sub', [entry('3.png')]),
  ]);
  const files = await dropped(transfer(folder, entry('m.onnx')));
  expect(files.map((f) => f.name)).toEqual(['1.png', '2.png', '3.png', 'm.onnx']);
});

test('without folders the files are taken as they are', async () => {
  expect((await dropped(transfer(entry('x.npy')))).map((f) => f.name)).toEqual(['plain.npy']);
});

test('a folder with too many files is refused as a whole', async () => {
  const folder = (n: number) =>
    entry(
      'patches',
      Array.from({ length: n }, (_, i) => entry(`${i}.png`)),
    );
  expect(await dropped(transfer(folder(MOST_FILES)))).toHaveLength(MOST_FILES);
  const all = dropped(transfer(folder(MOST_FILES + 1)));
  await expect(all).rejects.toMatchObject({ kind: 'limit' });
  await expect(all).rejects.toThrow(
    'Drop the model and the bag alone, or features of all patches in one file',
  );
  const few = entry('few', [entry('m.onnx'), entry('features.h5')]);
  expect(await dropped(transfer(few))).toHaveLength(2);
});

test('a file that was moved is an error of the file, not of the engine', async () => {
  const gone = { ...entry('x.npy'), file: (_: unknown, fail: (e: Error) => void) => fail(lost) };
  const lost = new DOMException('not found', 'NotFoundError');
  const error: unknown = await dropped(transfer(entry('folder', [gone]))).catch((e: unknown) => e);
  expect(words(error)).toMatchObject({ title: 'This file cannot be read' });
  expect(words(error).retry).toBeFalsy();
});
