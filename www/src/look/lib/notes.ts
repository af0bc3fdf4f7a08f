// What a method notes about its own explanations.
import type { Explanation } from 'bagscope';
import { look as words } from '../../strings/index.ts';

/**
 * The notes of the explanations of one method as sentences, each once. A note that only some of the
 * classes have begins with their names.
 */
export function methodNotes(
  explanations: readonly Explanation[],
  name: (c: number) => string,
): string[] {
  const classes = new Map<string, string[]>();
  for (const e of explanations)
    for (const note of new Set(e.notes))
      classes.set(note, [...(classes.get(note) ?? []), name(e.class)]);
  return [...classes].map(([note, names]) =>
    words.picture.note(note, names.length < explanations.length ? names : []),
  );
}
