// The bag that readers of the article compose: drawings, addresses and the file of the bag.
import { fileURLToPath } from 'node:url';
import type { Engine } from 'bagscope';
import { describe, expect, test } from 'vitest';
import { decodeBag, drawn, encodeBag, MOST, npy, SIDE, trayOf } from '../../src/learn/compose';
import { decode, encode, start } from '../../src/learn/link';

/** A picture of ink where `inside` says. */
const picture = (side: number, inside: (x: number, y: number) => boolean) =>
  Uint8Array.from({ length: side * side }, (_, i) =>
    inside(i % side, Math.floor(i / side)) ? 255 : 0,
  );

/** The box of what is not ground, and the mean place of the ink. */
function measure(pixels: Uint8Array) {
  const ink = [...pixels].flatMap((v, i) =>
    v ? [{ x: i % SIDE, y: Math.floor(i / SIDE), v }] : [],
  );
  const sum = ink.reduce((s, { v }) => s + v, 0);
  const across = (axis: 'x' | 'y') => ink.map((p) => p[axis]);
  return {
    width: Math.max(...across('x')) - Math.min(...across('x')) + 1,
    height: Math.max(...across('y')) - Math.min(...across('y')) + 1,
    x: ink.reduce((s, { x, v }) => s + v * (x + 0.5), 0) / sum,
    y: ink.reduce((s, { y, v }) => s + v * (y + 0.5), 0) / sum,
  };
}

describe('a drawing', () => {
  test.each([
    ['small, in a corner', picture(196, (x, y) => x < 20 && y < 40)],
    ['large', picture(196, (x, y) => x > 60 && x < 130 && y > 10 && y < 190)],
    ['wide, low', picture(100, (x, y) => y > 90 && x < 80)],
  ])('%s, fills 20 pixels, with its ink in the middle', (_, ink) => {
    const box = measure(drawn(ink, Math.sqrt(ink.length))!.pixels);
    expect(Math.abs(Math.max(box.width, box.height) - 20)).toBeLessThanOrEqual(1);
    expect(Math.abs(box.x - SIDE / 2)).toBeLessThan(0.6);
    expect(Math.abs(box.y - SIDE / 2)).toBeLessThan(0.6);
  });

  test('has a stroke as thick as it was drawn, seen from as near', () => {
    const { pixels } = drawn(
      picture(200, (x, y) => x >= 90 && x < 110 && y < 200),
      200,
    )!;
    expect(measure(pixels).width).toBe(2);
    expect(Math.max(...pixels)).toBe(255);
  });

  test('without ink is none', () => expect(drawn(new Uint8Array(9), 3)).toBeNull());
});

describe('the address', () => {
  const tray = trayOf(
    new Map([
      [
        'both',
        { pixels: Float32Array.from({ length: 2 * SIDE ** 2 }, (_, i) => i % 200), labels: [9, 3] },
      ],
    ]),
  );
  const drawing = drawn(
    picture(60, (x, y) => (x * y) % 7 < 3),
    60,
  )!;

  test('keeps digits and drawings', () => {
    const bag = [tray[1]!, drawing, tray[0]!, tray[1]!];
    const link = { ...start(), own: encodeBag(bag) };
    const back = decode(encode(link));
    expect(back).toEqual(link);
    expect(decodeBag(back.own, tray)).toEqual(bag);
  });

  test('as long as it becomes is read', () => {
    const own = encodeBag(Array.from({ length: MOST }, () => drawing));
    expect(decodeBag(decode(encode({ ...start(), own })).own, tray)).toHaveLength(MOST);
  });

  test('leaves out what is no digit', () => {
    const ids = ['0.0', '9.9', '', 'd', `d${'?'.repeat(262)}`, `d${'A'.repeat(261)}`, drawing.id];
    expect(decodeBag(ids.join('~'), tray)).toEqual([tray.find((d) => d.id === '0.0'), drawing]);
    expect(decodeBag(`${'0.0~'.repeat(99)}`, tray)).toHaveLength(MOST);
    expect(decode('own=<script>').own).toBe('');
  });

  test('and the tray is in the order of labels', () =>
    expect(tray.map(({ id, label }) => [id, label])).toEqual([
      ['0.1', 3],
      ['0.0', 9],
    ]));
});

test('the file of a bag is one that the engine reads', async () => {
  const node = fileURLToPath(new URL('../../../wasm/npm/dist/node.js', import.meta.url));
  const { load } = (await import(node)) as { load(): Promise<Engine> };
  const engine = await load();
  const digit = drawn(
    picture(60, (x) => x > 20 && x < 40),
    60,
  )!;
  const bag = await engine.bag(npy([digit, digit]), { name: 'own.npy' });
  expect([bag.instances, bag.shape, bag.raw]).toEqual([2, [1, SIDE, SIDE], true]);
  expect([...(await bag.values())]).toEqual([...digit.pixels, ...digit.pixels]);
  engine.close();
});
