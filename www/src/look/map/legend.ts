// The legend of a picture: what its colours stand for in numbers, how many scores are not evidence,
// and what the method notes about its own explanations.
import type { Explanation } from 'bagscope';
import { plain, signed } from '../../lib/format.ts';
import { look as words } from '../../strings/index.ts';
import {
  errorsUnknown,
  largest,
  sharing,
  small,
  unclear,
  type CommonScale,
  type Legend,
} from '../state/evidence.ts';

const say = words.legend;
/** Classes that have a number each; of more the sum is given. */
const MOST_LISTED = 6;

/**
 * The legend of the explanations that are drawn, `drawn`, among all classes that their method
 * explains, `all`. With `perClass` each class has a scale of its own, with `common` all bags have
 * one. `top` is how many of the highest scores alone are drawn; 0 for all.
 */
export function legend(
  drawn: readonly Explanation[],
  all: readonly Explanation[],
  name: (c: number) => string,
  {
    perClass = false,
    common = null,
    top = 0,
  }: { perClass?: boolean; common?: CommonScale | null; top?: number } = {},
): Legend | null {
  const [first] = drawn;
  if (!first) return null;
  const each = (number: (e: Explanation) => string): string => {
    const numbers = drawn.map(number);
    if (numbers.every((n) => n === numbers[0])) return numbers[0]!;
    return drawn.map((e, i) => say.of(numbers[i]!, name(e.class))).join(', ');
  };
  const count = drawn.reduce((n, e) => n + e.scores.length, 0);
  const grey = drawn.reduce((n, e) => n + unclear(e), 0);
  const lines: string[] = [];
  const mixed = drawn.some((e) => e.unit !== first.unit);
  const same = sharing(first, all);
  const own = Math.max(...drawn.map((e) => e.scale.own));
  const withUnit = (e: Explanation) =>
    `${plain(perClass ? e.scale.own : e.scale.shared)} ${e.unit}`;
  const some = grey < count;
  if (!some)
    lines.push(
      mixed
        ? say.units(each((e) => `${plain(largest(e))} ${e.unit}`))
        : say.largest(plain(Math.max(...drawn.map(largest))), first.unit),
    );
  else if (mixed) lines.push(say.units(each(withUnit)));
  else if (perClass && drawn.length > 1)
    lines.push(
      say.own(
        each((e) => plain(e.scale.own)),
        first.unit,
      ),
    );
  else if (perClass && same.length > 1) lines.push(say.ownOne(first.unit, name(first.class)));
  else if (common) lines.push(say.common(first.unit, common.bags));
  else lines.push(say.shared(first.unit, same.length));
  if (top > 0) lines.push(say.top(top));
  if (drawn.some((e) => e.neutral !== 0)) lines.push(say.neutral(each((e) => plain(e.neutral))));
  const scale = (e: Explanation) => (perClass ? e.scale.own : (common?.scale ?? e.scale.shared));
  const most = perClass ? own : scale(first);
  const ends =
    mixed || (perClass && drawn.length > 1)
      ? say.percent
      : ([signed(-most), signed(most)] as const);
  const weak = drawn.map((e) => small(e, scale(e)));
  if (weak.some((n) => n > 0)) lines.push(say.small(each((e) => String(weak[drawn.indexOf(e)]!))));
  const from = drawn.some((e) => e.neutral !== 0) ? say.fromNeutral : say.fromZero;
  const listed =
    drawn.length > 1 && drawn.length <= MOST_LISTED ? ` (${each((e) => String(unclear(e)))})` : '';
  return {
    ends: some ? ends : null,
    lines,
    grey: drawn.every(errorsUnknown)
      ? say.unknown
      : grey > 0
        ? say.grey(grey, count, from) + listed
        : '',
  };
}

/** The legend in words alone. */
export const sentences = (l: Legend): string[] => [
  ...(l.ends ? [say.range(...l.ends)] : []),
  ...l.lines,
  ...(l.grey ? [l.grey] : []),
];

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
