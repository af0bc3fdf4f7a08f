// The order of the rows of a table.

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
