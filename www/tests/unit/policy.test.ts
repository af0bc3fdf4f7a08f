// Pages forbid themselves all styles but those that they hold, by hash.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allowed } from '../../firstscreen';

test('the policy of the page that measures names its style sheet', () => {
  const html = readFileSync(
    fileURLToPath(new URL('../../bench/index.html', import.meta.url)),
    'utf8',
  );
  const [, style] = /<style>([^]*)<\/style>/.exec(html)!;
  expect(html).toContain(`style-src ${allowed(style!)};`);
});
