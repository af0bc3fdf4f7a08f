#!/usr/bin/env node
// Writes a page that is one file: engine, model and bags are in it, it opens from a disk, and its policy forbids any request.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { attributes, page } from "./page.mjs";

const usage = `usage: bagscope-page --model MODEL.onnx --bag BAGS --out PAGE.html [--title TEXT] [--text TEXT]
         [--method consensus] [--settings NAME] [--samples N] [--alpha A] [--beta B] [--seed 0]
         [--classes all|predicted|0,2] [--index 0] [--output prob|logit] [--kind strip|overlay|bars]

Writes one HTML file that explains a bag, or each bag of a file. It needs no server, no network and no other
file. It includes the model card, MODEL.bagscope.json, if that lies beside the model.`;

const needed = ["model", "bag", "out"];

/** Reads the flags; null when they make no sense, which is then said. */
function flags() {
  const names = [...needed, "title", "text", ...attributes];
  const options = { help: { type: "boolean" } };
  for (const name of names) options[name] = { type: "string" };
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
