// What an answer rests on, in the engine's sentences, and odds.

/**
 * Sentences of the engine with the names that the user gave to classes. The engine writes names in
 * quotation marks.
 */
export const renamed = (
  sentences: readonly string[],
  own: readonly string[],
  given: readonly string[],
): string =>
  sentences.join(' ').replace(/“([^”]*)”/g, (whole, name: string) => {
    const c = own.indexOf(name);
    return c < 0 ? whole : `“${given[c] ?? name}”`;
  });

/**
 * The odds of a class: its probability to that of the others, which are more precise than 1 - p
 * where p is near 1. Classes that exclude each other sum to 1.
 */
export function oddsOf(values: readonly number[], c: number): number {
  const p = values[c]!;
  const others = values.reduce((sum, v, other) => (other === c ? sum : sum + v), 0);
  const exclusive = values.length > 1 && Math.abs(p + others - 1) < 1e-6;
  return p / (exclusive ? others : 1 - p);
}
