// Phrases that sentences are made of: counts of things, shapes, and what a score says.
import { count, number, plain } from '../../lib/format.ts';

/** "1 instance", "30 instances". */
export function plural(n: number, one: string, many = one + 's'): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A note of the engine as a sentence; with classes, for those alone. At most three are named. */
export function note(text: string, classes: readonly string[] = []): string {
  const end = /[.!?]$/.test(text) ? '' : '.';
  if (classes.length === 0) return text.charAt(0).toUpperCase() + text.slice(1) + end;
  const names = classes.slice(0, 3).map((name) => `“${name}”`);
  const more =
    classes.length > 3 ? ` and ${plural(classes.length - 3, 'more class', 'more classes')}` : '';
  return `For ${names.join(', ')}${more}: ${text}${end}`;
}

/** A shape with its symbolic sides by name: "k × 1 × 28 × 28". */
export function shape(sides: readonly number[], names: readonly string[] = []): string {
  if (sides.length === 0) return 'one number';
  return sides.map((n, i) => (n < 0 ? names[i] || '?' : String(n))).join(' × ');
}

/** What a score is evidence of, as src/look/state/evidence.ts reads it. */
interface Read {
  score: number;
  difference: number;
  evident: boolean;
  neutral: number;
}

/** The point that a score without evidence does not stand out from: "0", "the neutral point 0.25". */
const neutralPoint = (neutral: number) =>
  neutral === 0 ? '0' : `the neutral point ${plain(neutral, 3)}`;

/** What a score says about a class, without the class. */
export function verb(r: Read): string {
  if (!Number.isFinite(r.score)) return 'has no score for';
  if (!r.evident) return `does not stand out from ${neutralPoint(r.neutral)} for`;
  return r.difference > 0 ? 'supports' : 'refutes';
}

/** What an instance is called. */
export interface Noun {
  one: string;
  several: string;
  /** The name of an instance, to be shown; empty if the file has none. */
  called?: (index: number) => string;
}

/** One instance: "patch 7" of index 6, or "patch 7 (x512_y0.png)" if it has a name. */
export function one(noun: Noun, index: number): string {
  const name = noun.called?.(index);
  return `${noun.one} ${number(index)}${name ? ` (${name})` : ''}`;
}

/** So many instances: "12 patches". */
export const several = (noun: Noun, n: number): string => plural(n, noun.one, noun.several);

/** A text that begins with a capital letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The score of an instance, which has an index, in words: 'patch 7 supports "a gland" by 0.31'. */
export function sentence(noun: Noun, index: number, className: string, r: Read): string {
  const by = r.evident ? ` by ${plain(Math.abs(r.difference), 2)}` : '';
  return `${one(noun, index)} ${verb(r)} “${className}”${by}`;
}
