// Pointing at a column of a figure lights its instance everywhere.
import { lesson } from '../lesson.svelte';

/**
 * For figures in which instance i fills the i-th column, or the column that `order` puts it into.
 */
export function point(event: PointerEvent, order?: readonly number[]): void {
  const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
  const column = Math.floor(((event.clientX - left) / width) * lesson.k);
  if (column >= 0 && column < lesson.k) lesson.active = order ? order[column]! : column;
}
