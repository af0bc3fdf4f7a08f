// Sentences that count, for one and for several.
import { expect, test } from 'vitest';
import { look as words } from '../../src/strings';

const instance = words.nouns.instance!;

test.each([
  [words.cut.counts(1, 1, '9 kB'), '1 of 1 patch is used; the bag takes 9 kB of memory.'],
  [words.cut.counts(1, 7, '9 kB'), '1 of 7 patches is used; the bag takes 9 kB of memory.'],
  [words.cut.counts(6, 7, '9 kB'), '6 of 7 patches are used; the bag takes 9 kB of memory.'],
  [words.prediction.all(instance, 1, ''), 'For the only instance.'],
  [words.prediction.all(instance, 7, 'raw'), 'For all 7 instances, as raw scores.'],
  [words.messages.still('a.npz'), 'a.npz is still open.'],
  [words.messages.still('7 files', true), '7 files are still open.'],
])('%s', (said, want) => {
  expect(said).toBe(want);
});
