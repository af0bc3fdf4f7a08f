// Which instances of a bag decide together: pairs of them, and the smallest sets.
import type { Bag, Model, SetList } from 'bagscope';
import { jointsOf, strongOf, type Joint } from '../lib/pairs.ts';

/** A proved smallest set, and the prediction of the class for it alone, or without it. */
export interface ProvedSet {
  instances: readonly number[];
  p: number;
}

/** The pairs and sets of a class, for the whole bag. */
export interface Together {
  joints: readonly Joint[];
  sufficient: readonly ProvedSet[];
  necessary: readonly ProvedSet[];
}

/** How many instances a phone shows side by side. */
const SIDE_BY_SIDE = 12;
/** How many disjoint sets are looked for. */
const SEVERAL = 3;

/** The pairs and sets of each class. */
export async function together(model: Model, bag: Bag, classes: number): Promise<Together[]> {
  const all: Together[] = [];
  for (let c = 0; c < classes; c++) {
    const sets = await model.sets(bag, { class: c, several: SEVERAL });
    const proved = (found: SetList | null) =>
      (found?.sets ?? [])
        .filter(({ smallest }) => smallest)
        .map(({ instances, value }): ProvedSet => ({ instances, p: value }));
    all.push({
      joints: few(strongOf(jointsOf(await model.pairs(bag, { class: c })))),
      sufficient: proved(sets.sufficient),
      // Nothing has to be removed from a bag that is not predicted as the class.
      necessary: proved(sets.necessary).filter((s) => s.instances.length > 0),
    });
  }
  return all;
}

/** The strongest joints, as far as their instances stand side by side. */
function few(joints: readonly Joint[]): Joint[] {
  const seen = new Set<number>();
  return joints.filter(({ a, b }) => {
    if (new Set([...seen, ...a, ...b]).size > SIDE_BY_SIDE) return false;
    [...a, ...b].forEach((i) => seen.add(i));
    return true;
  });
}

/** The groups of instances that joints join, ordered by their first instances. */
export function groupsOf(joints: readonly Joint[]): (readonly number[])[] {
  const groups = new Map(joints.flatMap(({ a, b }) => [a, b].map((g) => [g[0]!, g] as const)));
  return [...groups.values()].sort((a, b) => a[0]! - b[0]!);
}
