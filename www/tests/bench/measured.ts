import { expect } from 'vitest';

/** A figure fails above this multiple of its bar, since other machines are slower and busier. */
const SLACK = 3;

/** Prints a figure beside its bar, both in the unit that `what` names. */
export function measured(what: string, value: number, bar: number): void {
  console.log(`${what}: ${value.toPrecision(3)} (bar ${bar})`);
  expect(value, what).toBeLessThanOrEqual(SLACK * bar);
}
