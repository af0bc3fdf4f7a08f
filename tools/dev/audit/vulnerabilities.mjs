// Compares the installed packages of every lock file with npm's database of vulnerabilities. It fails
// if a package of the site or the npm package has a known vulnerability, and if the database cannot
// be reached: "0 vulnerabilities" without a database says nothing.
//
//   node tools/dev/audit/vulnerabilities.mjs [--offline]
//
// With --offline it prints a skip with its reason instead of asking, and never a pass.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The folders with a lock file. */
export const folders = ["wasm/npm", "www", "examples", "tools/dev/audit", "tools/dev/bench"];

/** What `npm audit --json` says: { count } of vulnerabilities, or { failure }, a reason in words. */
export function verdict(status, text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return { failure: `npm audit ended with status ${status} and no report` };
  }
  if (report.error || report.message || !report.metadata?.vulnerabilities)
    return { failure: report.message ?? report.error?.summary ?? "npm audit gave no counts" };
  const { total } = report.metadata.vulnerabilities;
  if (!Number.isInteger(total)) return { failure: "npm audit gave no counts" };
  if (!report.metadata.dependencies?.total) return { failure: "npm audit saw no packages" };
  return { count: total, packages: report.metadata.dependencies.total };
}

/** Audits one folder and prints its line. It returns whether the folder passes. */
function audit(folder) {
  const { status, stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], {
    cwd: path.join(root, folder),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const { failure, count, packages } = verdict(status, stdout ?? "");
  if (failure) console.error(`${folder}: NOT CHECKED, the database cannot be used: ${failure}`);
  else console.log(`${folder}: ${count} known vulnerabilities in ${packages} packages`);
  return !failure && count === 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes("--offline"))
    console.log("SKIPPED: vulnerabilities are not checked offline; run without --offline");
  else process.exitCode = folders.map(audit).every(Boolean) ? 0 : 1;
}
