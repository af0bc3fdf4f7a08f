// Packs the npm package as it is published, and puts it where the examples find it.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const examples = fileURLToPath(new URL("..", import.meta.url));
export const installed = path.join(examples, "node_modules/bagscope");
const npm = path.join(examples, "../wasm/npm");

/** Installs the package from its archive. */
export function install() {
  if (!existsSync(path.join(npm, "dist/element.js"))) throw new Error("the package is not built; run make wasm");
  const folder = mkdtempSync(path.join(os.tmpdir(), "bagscope-pack-"));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: npm });
  const [archive] = readdirSync(folder);
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", path.join(folder, archive), "-C", installed, "--strip-components=1"]);
  rmSync(folder, { recursive: true });
}

/** The viewer, as its package has it. */
export const openseadragon = path.join(npm, "node_modules/openseadragon/build/openseadragon");

/** A folder that a static host could serve: an example, the package's files, the digits, and further folders by name. */
export function staged(example, more = {}) {
  const site = mkdtempSync(path.join(os.tmpdir(), "bagscope-site-"));
  if (example) cpSync(path.join(examples, example), site, { recursive: true });
  cpSync(path.join(installed, "dist"), path.join(site, "bagscope"), { recursive: true });
  cpSync(path.join(examples, "digits"), path.join(site, "digits"), { recursive: true });
  for (const [name, from] of Object.entries(more)) cpSync(from, path.join(site, name), { recursive: true });
  return site;
}
