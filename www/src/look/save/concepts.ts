// What concepts do, in the files that the page saves, under the names of `bagscope groups`.
import type { Groups } from 'bagscope';
import { csvRow } from '../state/csv';

/** The keys that `groups --json` prints of concepts; none if none were measured. */
export function conceptsJSON(found: Groups | null) {
  if (!found?.concepts) return {};
  const list = found.concepts.list.map(({ adjusted, evident, ...c }) => ({
    ...c,
    adjusted_p: adjusted,
    evident,
  }));
  return { class: found.class, groups: found.groups, concepts: { ...found.concepts, list } };
}

/** The table of `groups --csv`: a row for each concept. */
export function conceptsCSV({ groups, concepts }: Groups): string {
  const heading = ['concept', 'instances', 'without', 'alone', 'effect', 'shapley', 'stderr'];
  const rows = (concepts?.list ?? []).map((c, n) => [
    ...[c.name, groups[n]!.length, c.without, c.alone, c.effect, c.shapley, c.stderr],
    ...[concepts!.unit, c.p, c.adjusted, c.evident],
  ]);
  return [[...heading, 'unit', 'p', 'adjusted_p', 'evident'], ...rows].map(csvRow).join('');
}
