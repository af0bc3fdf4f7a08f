// The program that lists changes of TypeScript files for `make mutants`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'mutants'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = fileURLToPath(
  new URL('../../../tools/dev/mutate/typescript/candidates.mjs', import.meta.url),
);

const code = `const µ = 5;
type Small = 0 | 1;
export function clamp(v: number, low: Small): number {
  if (v < low) return low;
  if (v === 9) throw new Error('9' + v * 2);
  notify(!v);
  return -1;
}
export class Counter {
  add(by: string[]) {
    this.total += by.length + 2.5;
  }
}
`;

interface Mutant {
  function: string;
  operator: string;
  shown: string;
  line: number;
  begin: number;
  end: number;
  text: string;
  where: number;
}

test('changes are in functions, and neither in types nor in messages of errors', () => {
  const file = path.join(folder, 'a.ts');
  writeFileSync(file, code);
  const listed = JSON.parse(
    execFileSync(process.execPath, [program, file], { encoding: 'utf8' }),
  ) as Mutant[];
  expect(listed.map((m) => `${m.line} ${m.function} ${m.operator}: ${m.shown}`)).toEqual([
    '3 clamp early return: → return 0',
    '4 clamp guard: v < low → ((v < low) && false)',
    '4 clamp compare: v < low → v <= low',
    '4 clamp compare: v < low → v >= low',
    '5 clamp guard: v === 9 → ((v === 9) && false)',
    '5 clamp equality: v === 9 → v !== 9',
    '5 clamp constant: v === 9 → v === 10',
    '5 clamp constant: v === 9 → v === 0',
    '6 clamp call: notify(!v); → ;',
    '6 clamp negation: !v → v',
    '7 clamp constant: -1 → -2',
    '11 Counter.add assignment: this.total += by.length + 2.5; → ;',
    '11 Counter.add arithmetic: by.length + 2.5 → by.length - 2.5',
    '11 Counter.add constant: by.length + 2.5 → by.length + 2.75',
  ]);
  // Offsets are of bytes: a letter before them has two.
  const data = Buffer.from(code);
  const guard = listed[1]!;
  expect(data.subarray(guard.begin, guard.end).toString()).toBe('v < low');
  expect(data.subarray(guard.where).toString()).toMatch(/^\n {2}if \(v < low\)/);
});
