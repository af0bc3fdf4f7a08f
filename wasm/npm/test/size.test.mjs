// What a page downloads: the program's size, and the step of the build that makes it smaller.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { joinSegments } from "../scripts/segments.mjs";
import { program, sizes } from "../scripts/size.mjs";

test("the program stays within its size", async () => {
  const limit = 1_400_000;
  const { brotli } = await sizes(program);
  assert.ok(brotli <= limit, `bagscope.wasm is ${brotli} bytes in brotli, more than ${limit}`);
});

/** A module of one page of memory, exported, with the data section given. */
const moduleWith = (...data) =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic number and version
    ...[5, 3, 1, 0, 1], // a memory of one page
    ...[7, 5, 1, 1, 0x6d, 2, 0], // exported as m
    ...data,
  );

/** Segments at 200 (address of two bytes), 16 and 32768 (of three), not in order. */
const scattered = moduleWith(
  ...[11, 26, 3],
  ...[0, 0x41, 0xc8, 0x01, 0x0b, 3, 7, 8, 9],
  ...[0, 0x41, 0x10, 0x0b, 2, 5, 6],
  ...[0, 0x41, 0x80, 0x80, 0x02, 0x0b, 2, 3, 4],
);

const memoryOf = async (bytes) =>
  Buffer.from((await WebAssembly.instantiate(bytes)).instance.exports.m.buffer.slice(0));

describe("joining data segments", () => {
  for (const [gap, added] of [
    [0, 0],
    [181, 0],
    [182, 182 - 4],
    [65536, 32768 - 203 + 182 - 8],
  ])
    test(`leaves memory as it was with gaps of ${gap}`, async () => {
      const joined = joinSegments(scattered, gap);
      assert.deepEqual(await memoryOf(joined), await memoryOf(scattered));
      const section = joined.length - scattered.length;
      assert.ok(Math.abs(section - added) <= 6, `${section} bytes longer instead of about ${added}`);
    });

  test("leaves a module without data alone", () => {
    assert.deepEqual(Uint8Array.from(joinSegments(moduleWith())), moduleWith());
  });

  test("refuses what it would get wrong", () => {
    const overlapping = moduleWith(...[11, 15, 2], ...[0, 0x41, 1, 0x0b, 2, 5, 6], ...[0, 0x41, 2, 0x0b, 2, 5, 6]);
    assert.throws(() => joinSegments(overlapping), /overlap/);
    assert.throws(() => joinSegments(moduleWith(11, 5, 1, 1, 2, 5, 6)), /constant address/);
    assert.throws(() => joinSegments(moduleWith(12, 1, 0)), /how many/);
    assert.throws(() => joinSegments(moduleWith(11, 9, 1)), /ends/);
    assert.throws(() => joinSegments(moduleWith(11, 128)), /ends/);
  });
});
