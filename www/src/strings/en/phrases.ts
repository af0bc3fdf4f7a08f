// Phrases that sentences are made of: counts of things, shapes, and what a score says.
import { count, plain } from '../../lib/format';

/** "1 instance", "30 instances". */
export function plural(n: number, one: string, many = one + 's'): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A shape with its symbolic sides by name: "k × 1 × 28 × 28". */
export function shape(sides: readonly number[], names: readonly string[] = []): string {
  if (sides.length === 0) return 'one number';
  return sides.map((n, i) => (n < 0 ? names[i] || '?' : String(n))).join(' × ');
}

/** What a score says about a class, in one word. */
export function verb(score: number): string {
  if (!Number.isFinite(score)) return 'has no score for';
  if (score > 0) return 'supports';
  return score < 0 ? 'refutes' : 'is neutral to';
}

/** One instance's score in words: 'instance 7 supports "an 8" by 0.31'. */
export function sentence(instance: number, className: string, score: number): string {
  const by = Number.isFinite(score) && score !== 0 ? ` by ${plain(Math.abs(score), 2)}` : '';
  return `instance ${instance} ${verb(score)} “${className}”${by}`;
}
