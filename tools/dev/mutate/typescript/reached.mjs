// Notes which mutants a test file reaches, in a recording run: changed files call mutantReached.
import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';

const record = process.env.MUTANTS_RECORD;
const seen = new Set();
globalThis.mutantReached = (id) => {
  if (!record || seen.has(id)) return;
  seen.add(id);
  appendFileSync(record, JSON.stringify([id, expect.getState().testPath]) + '\n');
};
