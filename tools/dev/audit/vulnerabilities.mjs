// Reads what npm and PyPI say about known vulnerabilities of the packages that lock files pin.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The folders with a lock file. */
export const folders = ["wasm/npm", "www", "examples", "tools/dev/audit", "tools/dev/bench"];

/**
 * Returns the vulnerabilities that testdata/vulnerabilities.txt accepts today, of its lines
 * "until | id | reason".
 */
export function excepted(text, today = new Date().toISOString().slice(0, 10)) {
  const lines = text.split("\n").filter((line) => line.trim() && !line.startsWith("#"));
  const columns = lines.map((line) => line.split("|").map((column) => column.trim()));
  return new Set(columns.filter(([until]) => until >= today).map(([, id]) => id));
}

/** Returns the numbers that are not accepted. */
export function left(ids) {
  const accepted = excepted(readFileSync(path.join(root, "testdata/vulnerabilities.txt"), "utf8"));
  return ids.filter((id) => !accepted.has(id));
}

/**
 * Returns what the output of `npm audit --json` says: { ids, packages }; { unreachable } with the
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
  const causes = Object.values(report.vulnerabilities ?? {}).flatMap(({ via }) => via);
  const urls = causes.filter(({ url }) => url).map(({ url }) => url);
  const ids = [...new Set(urls.map((url) => url.slice(url.lastIndexOf("/") + 1)))];
  if (vulnerabilities.total && !ids.length)
    throw new Error(`npm audit counts ${vulnerabilities.total} vulnerabilities without their names`);
  return { ids, packages: dependencies.total };
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

/** Returns the Python packages that the repository's lists pin, as "name/version". */
export function pinned() {
  const files = execFileSync("git", ["ls-files", "*requirements.txt"], { cwd: root, encoding: "utf8" });
  const texts = files.trim().split("\n").map((file) => readFileSync(path.join(root, file), "utf8"));
  const pins = texts.flatMap((text) => [...text.matchAll(/^([\w.-]+)(?:\[.*\])?==([\w.!+-]+)/gm)]);
  return [...new Set(pins.map(([, name, version]) => `${name}/${version.split("+")[0]}`))].sort();
}

/** Returns what PyPI says about a release: { ids }, or { unreachable } with the reason. */
export function released(status, text) {
  let release;
  try {
    release = JSON.parse(text);
  } catch {
    return { unreachable: `it answers with status ${status} and no JSON` };
  }
  if (status !== 200 || !Array.isArray(release.vulnerabilities))
    return { unreachable: `it answers with status ${status} and no list` };
  return { ids: release.vulnerabilities.filter((v) => !v.withdrawn).map(({ id }) => id) };
}

/** Returns the vulnerabilities of Python packages as "name/version id", or { unreachable }. */
export async function auditPython(packages) {
  const found = [];
  for (const one of packages) {
    let answer;
    try {
      const response = await fetch(`https://pypi.org/pypi/${one}/json`);
      answer = released(response.status, await response.text());
    } catch (error) {
      answer = { unreachable: String(error.cause ?? error) };
    }
    if (answer.unreachable) return { unreachable: `${one}: ${answer.unreachable}` };
    found.push(...left(answer.ids).map((id) => `${one} ${id}`));
  }
  return { found };
}
