/**
 * The largest finite magnitude, 0 where there is none. A loop: a spread argument list has a limit.
 */
export function max(values: readonly number[]): number {
  let top = 0;
  for (const v of values) if (Number.isFinite(v)) top = Math.max(top, Math.abs(v));
  return top;
}
