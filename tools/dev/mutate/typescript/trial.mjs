// Tries mutants of the page by the test files that reach them:
//
//   node trial.mjs FOLDER < mutants.json > noticed.json
//
// Both lists have the form that foreign.go describes. It runs in the root of the repository.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Tests with a mutant may take slack times what all take without one, and grace ms more. */
const slack = 2;
const grace = 20_000;

const scratch = mkdtempSync(path.join(tmpdir(), 'mutants'));
const record = path.join(scratch, 'reached');
const report = path.join(scratch, 'report.json');

/** Runs test files, all of them if none is named, with changed files. Returns whether they pass. */
function run(texts, files, limit, env = {}) {
  const overlay = path.join(scratch, 'overlay.json');
  writeFileSync(overlay, JSON.stringify(texts));
  rmSync(report, { force: true });
  const config = path.resolve('tools/dev/mutate/typescript/overlay.config.mjs');
  const args = ['vitest', 'run', '--config', config, '--root', '.', '--reporter=json'];
  args.push(`--outputFile=${report}`, ...(files.length ? ['--bail=1'] : []), ...files);
  const child = spawn('npx', args, {
    cwd: 'www',
    env: {
      ...process.env,
      ...env,
      MUTANTS_OVERLAY: overlay,
      MUTANTS_CACHE: path.join(scratch, 'cache'),
    },
    stdio: ['ignore', 'ignore', files.length ? 'ignore' : 'inherit'],
    detached: true, // a group of its own, which a mutant without end is killed with
  });
  return new Promise((resolve, reject) => {
    const timer = limit && setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limit);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

/** The text of a file with replaced bytes, the last first. */
function replaced(file, changes) {
  let data = readFileSync(file);
  for (const { begin, end, text } of changes.toSorted((a, b) => b.begin - a.begin))
    data = Buffer.concat([data.subarray(0, begin), Buffer.from(text), data.subarray(end)]);
  return data.toString();
}

/** The files with a call in front of each mutant's block. */
function probed(mutants) {
  const calls = {};
  for (const { id, file, where } of mutants)
    (calls[file] ??= []).push({
      begin: where,
      end: where,
      text: `;(globalThis as any).mutantReached(${id});`,
    });
  return Object.fromEntries(
    Object.entries(calls).map(([file, of]) => [path.resolve(file), replaced(file, of)]),
  );
}

async function main() {
  let input = '';
  for await (const part of process.stdin) input += part;
  const mutants = JSON.parse(input);
  const begun = performance.now();
  await run(probed(mutants), [], 0, { MUTANTS_RECORD: record });
  const limit = slack * (performance.now() - begun) + grace;
  const results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  const left = results.filter((t) => t.status !== 'passed').map((t) => t.name);
  const files = new Map(mutants.map((m) => [m.id, new Set()]));
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  for (const line of lines) {
    const [id, file] = JSON.parse(line);
    if (!left.includes(file)) files.get(id).add(file);
  }
  const some = [...files.values()].flatMap((of) => [...of]).slice(0, 1);
  if (some.length && !(await run({}, some, limit)))
    throw new Error(`${some[0]} passes with others and fails alone`);
  const noticed = [];
  for (const m of mutants) {
    const tests = [...files.get(m.id)];
    if (!tests.length) continue;
    const texts = { [path.resolve(m.file)]: replaced(m.file, [m]) };
    if (!(await run(texts, tests, limit))) noticed.push(m.id);
  }
  const reached = mutants.map((m) => m.id).filter((id) => files.get(id).size);
  process.stdout.write(JSON.stringify({ noticed, reached, left }));
}

try {
  await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
