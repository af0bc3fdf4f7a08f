// What a page downloads: the program's size, and the build step that joins its data segments.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { joinSegments } from "../scripts/segments.mjs";
import { check, gzipped } from "../../../tools/dev/sizes/sizes.mjs";

const dist = new URL("../dist/", import.meta.url);

// `make sizes` measures brotli too, which takes half a minute.
test("the program that every page loads has its recorded size", () => {
  check("bagscope.wasm, gzip", gzipped(readFileSync(new URL("bagscope.wasm", dist))));
});

test("a size may be 10 % above the recorded one, and a much smaller one is named", (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  check("program", 1100, 1000);
  check("program", 900, 1000);
  assert.equal(warn.mock.callCount(), 0);
  check("program", 899, 1000);
  assert.match(warn.mock.calls[0].arguments[0], /-10\.1 % of 1000/);
  assert.throws(() => check("program", 1101, 1000), /\+10\.1 % of 1000/);
  assert.throws(() => check("no such name", 1), /not recorded/);
});

// A bundle names the files in it by their paths from here.
test("no module depends on the folder that it was built in", () => {
  const modules = readdirSync(dist).filter((name) => name.endsWith(".js"));
  assert.ok(modules.length > 5);
  for (const name of modules)
    assert.doesNotMatch(readFileSync(new URL(name, dist), "utf8"), /^\/\/ (\/|(\.\.\/){3})/m, name);
});

// webpack warns about others in every build of a page.
test("the modules of pages name files beside them by literals", () => {
  for (const name of ["index.js", "embedded.js", "element.js"]) {
    const text = readFileSync(new URL(name, dist), "utf8");
    for (const [address] of text.matchAll(/new URL\([^()]*import\.meta\.url\)/g))
      assert.match(address, /^new URL\(("[^"]+", )?import\.meta\.url\)$/, name);
  }
});

/** A module of one page of memory, exported, with the given data section. */
const moduleWith = (...data) =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic number and version
    ...[5, 3, 1, 0, 1], // a memory of one page
    ...[7, 5, 1, 1, 0x6d, 2, 0], // exported as m
    ...data,
  );

/** Segments at 200 (an address of two bytes), 16 and 32768 (of three), not in order. */
const scattered = moduleWith(
  ...[11, 26, 3],
  ...[0, 0x41, 0xc8, 0x01, 0x0b, 3, 7, 8, 9],
  ...[0, 0x41, 0x10, 0x0b, 2, 5, 6],
  ...[0, 0x41, 0x80, 0x80, 0x02, 0x0b, 2, 3, 4],
);

/** The number of segments: it follows the number of the section and its size. */
const segmentsOf = (bytes) =>
  bytes[bytes.findIndex((byte, i) => i > moduleWith().length && byte < 128) + 1];

const memoryOf = async (bytes) =>
  Buffer.from((await WebAssembly.instantiate(bytes)).instance.exports.m.buffer.slice(0));

describe("joining data segments", () => {
  for (const [gap, segments] of [
    [0, 3],
    [181, 3],
    [182, 2],
    [65536, 1],
  ])
    test(`leaves the same memory in ${segments} segments if gaps of ${gap} are joined`, async () => {
      const joined = joinSegments(scattered, gap);
      assert.deepEqual(await memoryOf(joined), await memoryOf(scattered));
      assert.equal(segmentsOf(joined), segments);
    });

  test("keeps a module without data", () => {
    assert.deepEqual(Uint8Array.from(joinSegments(moduleWith())), moduleWith());
  });

  test("rejects what it would get wrong", () => {
    const overlapping = moduleWith(
      ...[11, 15, 2],
      ...[0, 0x41, 1, 0x0b, 2, 5, 6],
      ...[0, 0x41, 2, 0x0b, 2, 5, 6],
    );
    assert.throws(() => joinSegments(overlapping), /overlap/);
    assert.throws(() => joinSegments(moduleWith(11, 5, 1, 1, 2, 5, 6)), /constant address/);
    assert.throws(() => joinSegments(moduleWith(11, 6, 1, 0, 0x41, 0x7f, 0x0b, 0)), /negative/);
    assert.throws(() => joinSegments(moduleWith(11, 6, 1, 0, 0x41, 1, 0x0c, 0)), /expression/);
    assert.throws(() => joinSegments(moduleWith(12, 1, 0)), /number of data segments/);
    assert.throws(() => joinSegments(moduleWith(11, 9, 1)), /ends/);
    assert.throws(() => joinSegments(moduleWith(11, 128)), /ends/);
  });
});
