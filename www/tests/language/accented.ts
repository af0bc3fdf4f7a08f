// Texts with an accent on every letter, so that a page shows which of its texts are not among them.

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const marked = 'áƀçðéƒĝĥíĵķļɱñóþǫŕšţúṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶĻṀÑÓÞǪŔŠŢÚṼŴẊÝŽ';

/** What no translator changes: marks of src/lib/prose.ts, code between backticks, units. */
const kept = /<\/?\w+>|`[^`]+`|\b(?:kB|MB|GiB|µm|ms)\b/;

/** What functions of texts take as a key, not as a text: see the names in learn.ts and article.ts. */
const keys = new Set([
  'digit',
  'moment',
  'patch',
  'slide',
  'map',
  'truth',
  'top',
  'cells',
  'bands',
]);

/** One word with accents; of three letters one is doubled, which makes a text longer by a third. */
const word = (text: string) =>
  [...text]
    .map((letter, i) => {
      const at = plain.indexOf(letter);
      if (at < 0) return letter;
      return i % 3 === 1 ? marked[at]! + marked[at]! : marked[at]!;
    })
    .join('');

/** All strings of values that were passed to a text: names of classes, of files, texts of the engine. */
function passed(value: unknown): string[] {
  if (typeof value === 'string') return /\p{L}{2}/u.test(value) && !keys.has(value) ? [value] : [];
  if (value && typeof value === 'object') return Object.values(value).flatMap(passed);
  return [];
}

/** A text with accents, but for the strings that were passed to it. */
function text(words: string, values: readonly unknown[] = []): string {
  const strings = passed(values).sort((a, b) => b.length - a.length);
  const parts = strings.map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const stays = new RegExp(`(${[kept.source, ...parts].join('|')})`, 'u');
  return words
    .split(stays)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/[a-zA-Z]+/g, word)))
    .join('');
}

/** Values of a shape, with accents on every text in them. Functions return texts with accents. */
export function accented<T>(value: T, values: readonly unknown[] = []): T {
  if (typeof value === 'string') return text(value, values) as T;
  if (typeof value === 'function')
    return ((...given: unknown[]) => accented(value(...given) as unknown, given)) as T;
  if (Array.isArray(value)) return value.map((v) => accented(v as unknown, values)) as T;
  if (value && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, v]) => [key, accented(v as unknown, values)]),
    ) as T;
  return value;
}
