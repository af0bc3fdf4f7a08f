// Compares the sizes of built files with the recorded ones in sizes.json.
//
// Tests measure and call check. As a program, this module runs those tests, measures what takes too
// long for them, and prints a table. It fails if a size is above its limit. With -update it writes
// sizes.json instead. `make sizes` builds the files before.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Share by which a size may differ from the recorded one. */
const TOLERANCE = 0.1;

const root = fileURLToPath(new URL("../../..", import.meta.url));
const file = new URL("sizes.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8"));

/** The number of bytes after compression by gzip, at the highest level. */
export const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** The number of bytes after compression by brotli, at the highest level, for half a minute. */
function brotli(bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).length;
}

/** Returns what is wrong with a size, or "". `old` is the recorded size, or undefined. */
function fault(old, now) {
  if (old === undefined) return "not recorded";
  if (now > old * (1 + TOLERANCE)) return "too large";
  return now < old * (1 - TOLERANCE) ? "smaller than recorded" : "";
}

const percent = (old, now) => `${now < old ? "" : "+"}${(100 * (now / old - 1)).toFixed(1)} %`;

/**
 * Throws if the size of NAME, in bytes, is more than 10 % above the recorded one, `old`, or none is
 * recorded. Warns if it is more than 10 % below. If the environment variable SIZES names a file,
 * the size is appended to it and not compared.
 */
export function check(name, bytes, old = recorded[name]) {
  if (process.env.SIZES) return appendFileSync(process.env.SIZES, `${bytes} ${name}\n`);
  const wrong = fault(old, bytes);
  if (wrong === "") return;
  const change = old === undefined ? "" : `, ${percent(old, bytes)} of ${old}`;
  const text =
    `${name} has ${bytes} bytes${change}: ${wrong}. ` +
    "If the change is intended, record it by: make sizes ARGS=-update";
  if (wrong !== "smaller than recorded") throw new Error(text);
  console.warn(text);
}

/** The programs that measure: folder, command, arguments. */
const suites = [
  [
    ...["wasm/npm", "node", "--test", "--test-name-pattern=recorded size"],
    ...["test/size.test.mjs", "test/page.test.mjs"],
  ],
  [
    ...["www", "npx", "vitest", "run", "--config", "vitest.browser.config.ts"],
    ...["tests/browser/learn.test.ts", "tests/browser/weight.test.ts", "-t", "recorded size"],
  ],
  [".", "go", "test", "-count=1", "-run=^TestBagscopeIsSmall$", "./tools/dev/arch"],
  [
    ...[".", "tools/python/.venv/bin/python", "tools/python/wheels.py"],
    ...["--platform=linux/amd64", "--out=build/sizes"],
  ],
];

/** Returns the sizes by their names. */
function measured() {
  const out = join(root, "build/sizes/measured.txt");
  mkdirSync(join(root, "build/sizes"), { recursive: true });
  rmSync(out, { force: true });
  for (const [folder, command, ...args] of suites) {
    const { status, error } = spawnSync(command, args, {
      cwd: join(root, folder),
      env: { ...process.env, SIZES: out },
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")} failed in ${folder}`);
  }
  const program = readFileSync(join(root, "wasm/npm/dist/bagscope.wasm"));
  const rows = readFileSync(out, "utf8").trimEnd().split("\n");
  return Object.fromEntries(
    [...rows, `${brotli(program)} bagscope.wasm, brotli`]
      .map((row) => row.match(/^(\d+) (.+)$/))
      .map(([, bytes, name]) => [name, Number(bytes)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Prints the table. Returns whether all sizes are recorded, measured and within their limits. */
function print(sizes) {
  const row = (...cells) =>
    console.log(
      cells
        .map((c, i) => (i ? `${c}`.padStart(11) : c.padEnd(32)))
        .join("")
        .trimEnd(),
    );
  row("name", "recorded", "now", "difference");
  let good = true;
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(sizes)])) {
    const [old, now] = [recorded[name], sizes[name]];
    const wrong = now === undefined ? "not measured" : fault(old, now);
    good &&= wrong === "" || wrong === "smaller than recorded";
    row(name, old ?? "", now ?? "", old && now ? percent(old, now) : "", wrong && `  ${wrong}`);
  }
  return good;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = measured();
  const good = print(sizes);
  if (process.argv.includes("-update")) writeFileSync(file, JSON.stringify(sizes, null, 2) + "\n");
  else if (!good) process.exitCode = 1;
}
