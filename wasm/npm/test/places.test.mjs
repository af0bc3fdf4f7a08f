// Places of functions numbered anew: what runs and what the tables say of it stay as they were.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { rewriteCode } from "../scripts/code.mjs";
import { returnAddresses } from "../scripts/code/addresses.mjs";
import { decode, empty, op } from "../scripts/code/instructions.mjs";
import { numberPlaces } from "../scripts/code/places.mjs";
import { imageOf } from "../scripts/data.mjs";
import { unsigned } from "../scripts/leb128.mjs";
import { placesOf, writePlaces } from "../scripts/placetables.mjs";
import { firstTableNumber, mapSections, section } from "../scripts/sections.mjs";
import { dropTraces } from "../scripts/traces.mjs";
import { ends, get, i32, long, memory, outcomes, plain, set, takeStack, word } from "./functions.mjs";

const number = 0x1234;
const block = () => ({ op: op.block, a: empty });
const [returns, panics] = [0, 1];
const neverReturns = (i) => i.op === op.call && i.a === panics;

/** A call in Go's manner, with its return address. */
function call(index, place) {
  const left = { op: op.if, a: empty };
  const address = [get(1), long(number * 65536 + place), memory(op.i64Store)];
  const leaves = [left, word(1), ...plain(op.return), ends(left)];
  const after = index === panics ? plain(op.return) : [...takeStack, ...leaves];
  return [...address, word(0), { op: op.call, a: index }, ...after];
}

/**
 * A function that goes on at old places 2 and 5 after calls, begins a loop anew at 9, has a place in vain at 7
 * and panics at 3 and 12; deferred calls are run at 4. Local 2 counts how often it went round.
 */
function calling() {
  const blocks = Array.from({ length: 6 }, block);
  const loop = { op: op.loop, a: empty };
  const fails = { op: op.if, a: empty };
  const [again, once] = [
    { op: op.if, a: empty },
    { op: op.if, a: empty },
  ];
  const starts = [0, 0, 1, 1, 2, 3, 3, 4, 4, 5];
  const list = [
    ...[...takeStack, loop, ...blocks.toReversed()],
    ...[get(0), { op: op.brTable, a: starts.map((n) => blocks[n]) }],
    ...[ends(blocks[0]), get(2), word(50), ...plain(0x4a), fails, ...call(panics, 3), ends(fails), ...call(returns, 2)],
    ...[ends(blocks[1]), get(2), word(1), ...plain(op.i32Add), set(2)],
    ...[ends(blocks[2]), ...call(returns, 5)],
    ...[ends(blocks[3]), get(2), word(7), ...plain(op.i32Add), set(2)],
    ...[ends(blocks[4]), get(2), word(40), ...plain(0x48), again, word(9), set(0), { op: op.br, a: loop }, ends(again)],
    ...[get(2), ...plain(op.return)],
    ...[ends(blocks[5]), get(2), word(60), ...plain(0x4a), once, ...call(panics, 12), ends(once)],
    ...[get(2), word(30), ...plain(op.i32Add), set(2), word(2), set(0), { op: op.br, a: loop }],
    ...[ends(loop), word(-1), ends({})],
  ];
  return { locals: [[2, i32]], list };
}

/** Stack maps that differ between the two panics; the later one has that of the call that returns to 5. */
const old = {
  mapAt: (place) => Math.min(place, 3),
  heightAt: (place) => (place === 0 ? 0 : 16),
  deferReturn: 4,
};

describe("numbering places", () => {
  const { locals, list } = calling();
  const numbered = numberPlaces(list, number, neverReturns, old);
  const table = numbered.list.find((i) => i.op === op.brTable).a;

  test("gives the numbers of the blocks", () => {
    const blocks = numbered.list.filter((i) => i.op === op.block).toReversed();
    assert.deepEqual(
      table.map((target) => blocks.indexOf(target)),
      [0, 1, 2, 3, 4],
    );
    const addresses = returnAddresses(numbered.list, number).map(({ place }) => place);
    assert.deepEqual(addresses, [2, 1, 3, 3]);
    assert.equal(numbered.deferReturn, 2);
    assert.deepEqual(numbered.maps, [1, 2, 3]);
    assert.deepEqual(numbered.heights, [0, 16, 16, 16]);
  });

  test("leaves what runs as it was", () => {
    const callees = [0, 1].map((n) => ({ list: [word(n), ends({})] }));
    const run = (function_, place) =>
      outcomes(...callees, { ...function_, list: [word(place), set(0), ...function_.list] }).map(([n]) => n);
    for (const [from, to] of [
      [0, 0],
      [2, 1],
      [4, 2],
      [5, 3],
      [9, 4],
    ])
      // prettier-ignore
      assert.deepEqual(run({ locals, list: numbered.list }, to), run({ locals, list }, from));
  });

  test("is left where a call goes on elsewhere than its return address says", () => {
    const wrong = list.map((i) =>
      i.op === op.i64Const && i.a === BigInt(number * 65536 + 5) ? { ...i, a: i.a + 2n } : i,
    );
    assert.equal(numberPlaces(wrong, number, neverReturns, old), null);
    const stray = [...list.slice(0, -1), long(number * 65536 + 5), ...plain(op.drop), list.at(-1)];
    assert.equal(numberPlaces(stray, number, neverReturns, old), null);
  });
});

/** The functions of a module as lists of instructions. */
function bodies(module) {
  const lists = [];
  mapSections(module, (id, bytes) => {
    const reader = { bytes, at: 0 };
    if (id === section.code)
      for (let left = unsigned(reader); left > 0; left--) {
        const size = unsigned(reader);
        const body = { bytes: bytes.subarray(reader.at, (reader.at += size)), at: 0 };
        for (let locals = unsigned(body); locals > 0; locals--) [unsigned(body), body.at++];
        lists.push(decode(body.bytes.subarray(body.at)));
      }
    return bytes;
  });
  return lists;
}

/** The places in the return addresses of a function that keeps its number in a local. */
function sharedAddresses(list, number) {
  const whole = returnAddresses(list, number).map(({ at, place }) => [at, place]);
  const shared = (n) =>
    [get(1), get(2)].every(({ op: o, a }, i) => list[n - 2 + i]?.op === o && list[n - 2 + i].a === a) &&
    list[n + 1].op === op.i64Or &&
    list[n + 2].op === op.i64Store &&
    list[n + 2].b === 0;
  const parts = list.flatMap((i, n) => (i.op === op.i64Const && shared(n) ? [[n, Number(i.a)]] : []));
  return [...whole, ...parts].sort(([a], [b]) => a - b).map(([, place]) => place);
}

/** A Go program with much of the standard library in it. */
const program = `package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"os"
)

func main() { fmt.Println(json.Valid(nil), png.Decode, os.Args) }
`;

test("a program's return addresses say what they said", async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "places-"));
  try {
    const file = path.join(dir, "main.wasm");
    await writeFile(path.join(dir, "main.go"), program);
    const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };
    execFileSync("go", ["build", "-ldflags=-w", "-o", file, path.join(dir, "main.go")], { cwd: dir, env });
    const module = await readFile(file);
    const { bytes, address } = imageOf(module);
    const before = placesOf(bytes, address);
    const numbered = new Map();
    const tell = (number, tables) => numbered.set(number, tables);
    const rewritten = rewriteCode(module, (number) => before.get(number), tell);
    dropTraces(bytes, address, () => true);
    writePlaces(bytes, address, numbered);
    const after = placesOf(bytes, address);

    const first = firstTableNumber(module);
    const lists = bodies(rewritten);
    let addresses = 0;
    bodies(module).forEach((list, i) => {
      const number = first + i;
      if (!numbered.has(number)) return;
      const [was, is] = [before.get(number), after.get(number)];
      const says = (tables) => (place) => place && [tables.mapAt(place - 1), tables.heightAt(place)];
      const said = returnAddresses(list, number).map(({ place }) => place);
      assert.deepEqual(sharedAddresses(lists[i], number).map(says(is)), said.map(says(was)));
      assert.equal(is.deferReturn > 0, was.deferReturn > 0);
      if (was.deferReturn) assert.equal(is.mapAt(is.deferReturn), was.mapAt(was.deferReturn));
      addresses += said.length;
    });
    assert.ok(addresses > 10_000);
    assert.ok(numbered.size > 0.95 * before.size);
  } finally {
    await rm(dir, { recursive: true });
  }
});
