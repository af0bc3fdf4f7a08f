// The report: the bars of bands that it draws as the page does.
import { expect, test } from 'vitest';
import type { InsideMap } from 'bagscope';
import { bandsHTML } from '../../src/look/save/report';
import { barOf, partsOf } from '../../src/look/whatif/parts';

const found = {
  together: [3, 1],
  ...{ groups: 'bands', cell: 1, height: 1, width: 3, rows: 1, columns: 3, hidden: 'mean' },
  ...{ unit: 'log-odds', scores: [2, -1, 0.25], evident: [true, true, false] },
  ...{ stderr: null, class: 0, notes: [] },
} as unknown as InsideMap;
const noun = { one: 'patch', several: 'patches' };

test('the report draws the bars of the page, and lists each band', () => {
  const html = bandsHTML(found, noun, 'a <b>');
  expect(html).toContain('Bands of 2 patches');
  expect(html).toContain('a &#60;b&#62;');
  const bars = [
    ...html.matchAll(/<rect class="(\w+)" x="(\S+)" y="(\S+)" width="\S+" height="(\S+)"/g),
  ];
  expect(bars.map(([, side]) => side)).toEqual(['support', 'refute', 'support']);
  partsOf(found).forEach((part, n) => {
    const { x, y, height } = barOf(part, n);
    expect(bars[n]!.slice(2).map(Number)).toEqual([x, y, height]);
  });
  expect(bars.map(([, , , , height]) => Number(height))).toEqual([1, 0.5, 0]);
  expect(html.match(/<tr>/g)).toHaveLength(1 + 3);
  expect(html).toMatch(/\(\+0\.250\)/); // it does not stand out
});
