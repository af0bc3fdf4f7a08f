import { expect, test } from 'vitest';
import { dropped, role, sort } from '../../src/look/lib/files';
import { isPicture } from '../../src/look/lib/formats';

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
