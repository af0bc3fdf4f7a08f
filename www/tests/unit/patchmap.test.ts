import { PatchMap, paletteOf, type Overlay, type Rect, scoresOf } from 'bagscope/patches';
import { expect, test, vi } from 'vitest';

/** The opaque pixels of the map's picture, row by row: "#" where a patch is. */
function drawn(boxes: Rect[], scores: number[], smooth: boolean) {
  class Pixels {
    data: Uint8ClampedArray<ArrayBuffer>;
    constructor(
      readonly width: number,
      readonly height: number,
    ) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  }
  let image = new Pixels(0, 0);
  vi.stubGlobal('ImageData', Pixels);
  vi.stubGlobal('document', {
    createElement: () => ({ getContext: () => ({ putImageData: (i: Pixels) => (image = i) }) }),
  });
  const read = (i: number) => {
    const score = scores[i]!;
    return { score, difference: score, evident: score !== 0, neutral: 0 };
  };
  const o = {
    ...{ boxes, scores: scoresOf(boxes.length, read, 1), picture: false, apart: true },
    ...{ opacity: 1, top: 0, out: new Set<number>(), palette: paletteOf(false) },
  } as Overlay;
  new PatchMap(boxes).pictureOf(o, smooth);
  vi.unstubAllGlobals();
  const { data, width, height } = image;
  const row = (y: number) => Array.from({ length: width }, (_, x) => data[4 * (y * width + x) + 3]);
  const colour = (x: number, y: number) => [...data.slice(4 * (y * width + x)).slice(0, 3)];
  return {
    rows: Array.from({ length: height }, (_, y) =>
      row(y)
        .map((a) => (a ? '#' : '.'))
        .join(''),
    ),
    colour,
  };
}

const box = (x: number, y: number, side: number) => ({ x, y, width: side, height: side });

test('a patch fills all cells that it covers, and one if the map is smooth', () => {
  const boxes = [box(0, 0, 512), box(256, 0, 512), box(1024, 256, 512)];
  expect(drawn(boxes, [1, 1, 1], false).rows).toEqual(['###...', '###.##', '....##']);
  expect(drawn(boxes, [1, 1, 1], true).rows).toEqual(['##...', '....#']);
});

test('patches side by side have a cell each', () => {
  const boxes = [box(0, 0, 256), box(256, 0, 256), box(0, 256, 256)];
  expect(drawn(boxes, [1, 1, 1], false).rows).toEqual(['##', '#.']);
});

test('the strongest of patches that overlap is seen whole', () => {
  const boxes = [box(0, 0, 512), box(256, 0, 512), box(512, 0, 512)];
  for (const strongest of [0, 1, 2]) {
    const scores = [0.2, 0.2, 0.2].map((s, i) => (i === strongest ? -1 : s));
    const { colour } = drawn(boxes, scores, false);
    const [red, other] = [colour(strongest, 0), colour(strongest === 0 ? 2 : 0, 0)];
    expect(colour(strongest + 1, 1)).toEqual(red);
    expect(other).not.toEqual(red);
    const grey = scores.map((s) => (s === -1 ? s : 0)); // no evidence
    expect(drawn(boxes, grey, false).colour(strongest + 1, 1)).toEqual(red);
  }
});
