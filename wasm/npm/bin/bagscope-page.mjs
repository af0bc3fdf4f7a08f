#!/usr/bin/env node
// Writes a page in one file with the engine, the model and the bags. It opens from a local disk, and its policy forbids all requests.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { attributes, methodFlags, page } from "./page.mjs";

const usage = `usage: bagscope-page --model MODEL.onnx --bag BAGS --out PAGE.html
         [--title TEXT] [--text TEXT]
         [--method consensus] [--settings NAME] [--seed 0] [--index 0] [--classes all|predicted|0,2]
         [--output prob|logit] [--kind strip|overlay|map|bars] [--lang de|es|fr|zh|ar]
         ${methodFlags.map(flagUsage).join("\n         ")}

Writes one HTML file that explains a bag, or each bag of a file. It needs no server, no network and no other
file. It includes the model card, MODEL.bagscope.json, if that lies beside the model.`;

/** Returns the usage of a flag, such as "[--samples N]". */
function flagUsage({ flag, kind, choices }) {
  if (kind === "flag") return `[--${flag}]`;
  const value = choices
    ? choices.map(({ word }) => word).join("|")
    : kind === "integer"
      ? "N"
      : "X";
  return `[--${flag} ${value}]`;
}

const needed = ["model", "bag", "out"];

/** Returns the flags, or null after it has printed the error in them. */
function flags() {
  const names = [...needed, "title", "text", ...attributes];
  const options = { help: { type: "boolean" } };
  for (const name of names) options[name] = { type: "string" };
  for (const { flag, kind } of methodFlags)
    if (kind === "flag") options[flag] = { type: "boolean" };
  try {
    const { values } = parseArgs({ options });
    const missing = needed.filter((name) => !values[name]);
    if (values.help || missing.length === 0) return values;
    console.error(`bagscope-page: --${missing[0]} is missing\n\n${usage}`);
  } catch (cause) {
    console.error(`bagscope-page: ${cause.message}\n\n${usage}`);
  }
  return null;
}

const given = flags();
if (!given) process.exitCode = 2;
else if (given.help) console.log(usage);
else {
  try {
    const html = await page(given);
    await writeFile(given.out, html);
    console.log(`${given.out}: ${(html.length / 1e6).toFixed(1)} MB`);
  } catch (cause) {
    console.error(`bagscope-page: ${cause.message}`);
    process.exitCode = 1;
  }
}
