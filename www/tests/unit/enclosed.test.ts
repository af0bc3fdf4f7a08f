import { expect, test } from 'vitest';
import { enclosed } from '../../src/look/place/view';

/** Whether a point lies inside of a closed line, by the sum of the angles under which it is seen. */
function around(line: readonly { x: number; y: number }[], x: number, y: number): number {
  let sum = 0;
  line.forEach((a, i) => {
    const b = line[(i + 1) % line.length]!;
    const turn = Math.atan2(b.y - y, b.x - x) - Math.atan2(a.y - y, a.x - x);
    sum += turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  });
  return Math.round(sum / (2 * Math.PI));
}

test('a line encloses the patches that it winds around an odd number of times', () => {
  // Seven corners of a star, which crosses itself.
  const line = Array.from({ length: 7 }, (_, i) => ({
    x: 50 + 41.3 * Math.cos((6 * Math.PI * i) / 7),
    y: 40 + 37.7 * Math.sin((6 * Math.PI * i) / 7),
  }));
  const boxes = Array.from({ length: 400 }, (_, i) => ({
    ...{ x: 5 * (i % 20), y: 4 * Math.floor(i / 20) },
    ...{ width: 5, height: 4 },
  }));
  const expected = boxes.flatMap((b, i) =>
    around(line, b.x + b.width / 2, b.y + b.height / 2) % 2 ? [i] : [],
  );
  expect(expected.length).toBeGreaterThan(50);
  expect(enclosed(boxes, line)).toEqual(expected);
  expect(enclosed(boxes, [])).toEqual([]);
});
