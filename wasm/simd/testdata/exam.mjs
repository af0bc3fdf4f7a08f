// Makes every addition of a module wrong, one at a time, and prints how many mistakes the exam finds
// and which it does not. node exam.mjs plain|fused

import * as modules from "../modules.js";
import { answersWell } from "../selftest.js";
import { additions, decode, wrong } from "./wrong.mjs";

const level = process.argv[2];
const right = decode(modules[level]);

async function passes(bytes) {
  const memory = new WebAssembly.Memory({ initial: 4 });
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
  return answersWell(instance.exports, memory, level === "fused");
}

const all = additions(right);
const missed = [];
for (const number of all.keys()) if (await passes(wrong(right, number))) missed.push(number);
console.log(`right: ${await passes(right)}, mistakes: ${all.length}, missed: ${missed}`);
