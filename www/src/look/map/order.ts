// The order of instances in lists and in the rows of a table.

export interface Order {
  /** A class index, or null for the instances' own order. */
  by: number | null;
  descending: boolean;
}

/**
 * Instance indices 0..count-1 in order. What has no score comes last either way; ties keep the
 * bag's order.
 */
export function ordered(
  count: number,
  order: Order,
  score: (instance: number) => number,
): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  if (order.by === null) return order.descending ? all.reverse() : all;
  const keys = all.map(score);
  const sign = order.descending ? -1 : 1;
  return all.sort((a, b) => {
    const [x, y] = [keys[a]!, keys[b]!];
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return sign * (x - y) || a - b;
  });
}

/**
 * The order after a click on a column's head: the same column turns round, another starts with the
 * most.
 */
export function clicked(order: Order, by: number | null): Order {
  if (order.by === by) return { by, descending: !order.descending };
  return { by, descending: by !== null };
}

/** An order, given what it is of and whether nothing is missing there. */
export type Keeper = (
  of: readonly unknown[],
  whole: boolean,
  make: () => readonly number[],
) => readonly number[];

/**
 * Returns a function that keeps an order while instances are missing, so that nothing moves beneath
 * the pointer after a removal. It makes a new one for a whole bag, and for anything else than before.
 */
export function keeper(): Keeper {
  let kept: { of: readonly unknown[]; order: readonly number[] } | null = null;
  return (of, whole, make) => {
    if (whole || kept?.of.some((part, i) => part !== of[i]) !== false) kept = { of, order: make() };
    return kept!.order;
  };
}
