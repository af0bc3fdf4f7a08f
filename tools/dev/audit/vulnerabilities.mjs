// Reads what npm says about known vulnerabilities of the packages that lock files pin.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The folders with a lock file. */
export const folders = ["wasm/npm", "www", "examples", "tools/dev/audit", "tools/dev/bench"];

/**
 * Returns what the output of `npm audit --json` says: { count, packages }; { unreachable } with the
 * reason if the registry did not answer with a report. A report without counts is an error, because
 * "0 vulnerabilities" of no packages says nothing.
 */
export function verdict(status, text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return { unreachable: `npm audit ended with status ${status} and no report` };
  }
  const said = report.message || report.error?.summary || report.error?.code;
  if (said || report.error) return { unreachable: said || "npm audit ended with an error" };
  const { vulnerabilities, dependencies } = report.metadata ?? {};
  if (!Number.isInteger(vulnerabilities?.total) || !dependencies?.total)
    throw new Error("npm audit printed a report without counts");
  return { count: vulnerabilities.total, packages: dependencies.total };
}

/** Returns the verdict on the packages of a folder. */
export function audit(folder) {
  const { status, stdout } = spawnSync(
    "npm",
    ["audit", "--json", "--package-lock-only", "--fetch-retries=1"],
    { cwd: path.join(root, folder), encoding: "utf8", maxBuffer: 1 << 28 },
  );
  return verdict(status, stdout ?? "");
}
