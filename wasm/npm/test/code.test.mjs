// The rewriting of Go's code: each pass on a function made for it, and programs that must run as before.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { rewriteCode } from "../scripts/code.mjs";
import { neverReturns, shortenReturns } from "../scripts/code/calls.mjs";
import { decode, empty, op } from "../scripts/code/instructions.mjs";
import { dropBlocks, straightenJumps } from "../scripts/code/jumps.mjs";
import { shorten } from "../scripts/code/peephole.mjs";
import { shareNumber } from "../scripts/code/resume.mjs";
import { foldOffsets } from "../scripts/code/stack.mjs";
import { codes, ends, get, i32, i64, long, memory, moduleOf, moveStack, outcomes } from "./functions.mjs";
import { plain, set, takeStack, word } from "./functions.mjs";

describe("shorter instructions", () => {
  const asNumber = [{ op: op.i64ExtendI32S }];
  for (const [name, list, length] of [
    ["a truth value widened and tested", [get(0), long(3), ...plain(0x53, op.i64ExtendI32U, op.i64Eqz, op.i32Eqz)], 3],
    ["a number compared and the outcome turned round", [get(0), long(3), ...plain(0x55, op.i32Eqz)], 3],
    ["an address that is a constant", [get(0), ...plain(op.drop), long(2 ** 32 + 40), ...plain(op.i32WrapI64)], 3],
    ["the low half of what was loaded", [word(8), memory(op.i64Load), ...plain(op.i32WrapI64)], 2],
    ["a local set and read", [get(0), set(0), get(0), set(0), get(0)], 1],
  ])
    test(name, () => {
      // The first two read their number in 64 bits.
      const from = list[1]?.op === op.i64Const ? [list[0], ...asNumber, ...list.slice(1)] : list;
      const whole = [...from, ends({})];
      assert.deepEqual(outcomes({ list: shorten(whole) }), outcomes({ list: whole }));
      assert.equal(shorten(whole).length, length + 1 + (from === list ? 0 : asNumber.length));
    });

  test("not of floats that may be no numbers", () => {
    const list = [...plain(0x63, op.i32Eqz), ends({})]; // f64.lt
    assert.deepEqual(codes(shorten(list)), codes(list));
  });

  test("the frame and the return address leave the stack together", () => {
    const add = (n) => [get(1), word(n), { op: op.i32Add }, ...moveStack];
    const list = [...takeStack, ...add(24), ...add(8), word(0), ends({})];
    const locals = [[1, i32]];
    assert.deepEqual(outcomes({ locals, list: shorten(list) }), outcomes({ locals, list }));
    assert.equal(shorten(list).length, list.length - 6); // the stack pointer is also set and read at once
  });
});

/** A loop in Go's manner, entered at one of four places: counts local 1 down and makes local 2 threefold. */
function dispatching() {
  const blocks = Array.from({ length: 4 }, () => ({ op: op.block, a: empty }));
  const exit = { op: op.block, a: empty };
  const loop = { op: op.loop, a: empty };
  const jump = (place) => [word(place), set(0), { op: op.br, a: loop }];
  const when = (place) => {
    const block = { op: op.if, a: empty };
    return [block, ...jump(place), ends(block)];
  };
  const list = [
    ...[word(9), set(1), word(1), set(2)],
    ...[exit, loop, ...blocks.toReversed()],
    ...[get(0), { op: op.brTable, a: blocks }],
    ...[ends(blocks[0]), get(1), word(5), ...plain(0x4a), ...when(2)],
    ...[ends(blocks[1]), get(1), word(0), ...plain(0x4c), ...when(3), get(1), word(1), ...plain(op.i32Sub), set(1)],
    ...[get(2), word(3), ...plain(0x6c), set(2), ...jump(1)],
    ...[ends(blocks[2]), word(99), set(2), ...jump(3)],
    ...[ends(blocks[3]), get(2), ...plain(op.return), ends(loop)],
    ...[ends(exit), word(-1), ends({})],
  ];
  return { locals: [[2, i32]], list };
}

describe("jumps", () => {
  test("forward go straight, back go round the loop", () => {
    const { locals, list } = dispatching();
    const straight = straightenJumps(list);
    assert.deepEqual(outcomes({ locals, list: straight }), outcomes({ locals, list }));
    const loop = list.find((i) => i.op === op.loop);
    assert.equal(straight.filter((i) => i.op === op.br && i.a === loop).length, 1);
    assert.equal(straight.filter((i) => i.op === op.brIf).length, 2);
    assert.equal(straight.filter((i) => i.op === op.if).length, 0);
  });

  test("stay where local 0 is read for something else", () => {
    const { list } = dispatching();
    const read = [...list.slice(0, -2), get(0), ends({})];
    assert.deepEqual(codes(straightenJumps(read)), codes(read));
  });

  test("blocks that nothing leaves go", () => {
    const { locals, list } = dispatching();
    const dropped = dropBlocks(list);
    assert.deepEqual(outcomes({ locals, list: dropped }), outcomes({ locals, list }));
    assert.equal(dropped.length, list.length - 2);
  });
});

/** A caller of function 0, in Go's manner, that returns 1 if that one does, and else 7. */
function calling(number = 0x1234) {
  const exit = { op: op.block, a: empty };
  const address = [get(1), long(number * 65536 + 3), { op: op.i64Store, a: 3, b: 0 }];
  const call = [word(0), { op: op.call, a: 0 }, ...takeStack, { op: op.brIf, a: exit }];
  const done = [get(0), set(2), word(7), { op: op.return }, ends(exit), word(1), ends({})];
  return { locals: [[2, i32]], list: [...takeStack, exit, ...address, ...call, ...done] };
}

describe("calls", () => {
  const callees = [0, 1].map((n) => ({ list: [word(n), ends({})] }));

  for (const callee of callees)
    test(`of a function that returns ${callee.list[0].a}`, () => {
      const { locals, list } = calling();
      const short = shortenReturns(list, () => false);
      assert.deepEqual(outcomes(callee, { locals, list: short }), outcomes(callee, { locals, list }));
      assert.ok(!codes(short).includes(op.brIf));
    });

  test("of a panic are followed by nothing", () => {
    const { locals, list } = calling();
    const short = shortenReturns(list, (call) => call.a === 0);
    assert.deepEqual(outcomes(callees[1], { locals, list: short }), outcomes(callees[1], { locals, list }));
    assert.equal(short.length, list.length - 6);
  });

  test("share the number of their function", () => {
    for (const { locals, list } of [
      calling(),
      {
        ...calling(),
        locals: [
          [2, i32],
          [3, i64],
        ],
      },
    ]) {
      const [first, ...rest] = locals;
      const split = [[1, i32], [1, i64], [1, i32], ...rest];
      const wide = list.map((i) => (i.a === 2 && i.op === op.localSet ? { op: op.localSet, a: 3 } : i));
      const before = { locals: split, list: wide };
      const after = shareNumber(before, 0x1234);
      assert.equal(first[0], 2);
      assert.deepEqual(outcomes(callees[0], after), outcomes(callees[0], before));
      assert.ok(after.list.every((i) => i.op !== op.i64Const || i.a === 3n || i.a === 0x12340000n));
    }
  });

  test("names of panics", () => {
    for (const name of ["runtime.goPanicIndex", "runtime.gopanic", "runtime.panicdivide", "runtime.sigpanic"])
      assert.ok(neverReturns(name), name);
    for (const name of ["runtime.printpanics", "runtime.newobject", "main.panicdivide", "runtime.gorecover"])
      assert.ok(!neverReturns(name), name);
  });
});

describe("places on the stack", () => {
  const place = (n) => [get(1), { op: op.i64ExtendI32U }, long(n), ...plain(op.i64Add, op.i32WrapI64)];
  const locals = [[1, i32]];

  test("are offsets of loads and stores", () => {
    const stored = [...place(16), get(0), word(3), ...plain(op.i32Add), memory(op.i32Store, 4)];
    const list = [...takeStack, ...stored, ...place(20), memory(op.i32Load), ends({})];
    assert.deepEqual(outcomes({ locals, list: foldOffsets(list) }), outcomes({ locals, list }));
    assert.equal(foldOffsets(list).length, list.length - 8);
  });

  test("stay sums where they are not the address", () => {
    const list = [...takeStack, word(40), ...place(16), memory(op.i32Store), ...place(24), ends({})];
    assert.deepEqual(outcomes({ locals, list: foldOffsets(list) }), outcomes({ locals, list }));
    assert.equal(foldOffsets(list).length, list.length - 4);
  });

  test("of another local stay", () => {
    const list = [...takeStack, ...place(16).map((i) => (i.op === op.localGet ? get(0) : i)), ends({})];
    assert.deepEqual(foldOffsets(list), list);
  });
});

test("a function with instructions that Go does not write stays as it is", () => {
  const vector = [0xfd, 0x0c, ...new Uint8Array(16), op.drop, op.localGet, 0, op.end];
  assert.equal(decode(Uint8Array.from(vector)), null);
  const module = moduleOf({ list: [{ op: 0, raw: Uint8Array.from(vector) }] });
  assert.deepEqual(Uint8Array.from(rewriteCode(module)), module);
});

test("the tests of a package of Go's pass with the code rewritten", async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "code-"));
  try {
    const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
    const file = path.join(dir, "sort.wasm");
    const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };
    execFileSync("go", ["test", "-c", "-ldflags=-w", "-o", file, "sort"], { env });
    const module = await readFile(file);
    const rewritten = rewriteCode(module);
    assert.ok(rewritten.length < 0.9 * module.length);
    await writeFile(file, rewritten);
    const run = [path.join(goroot, "lib/wasm/wasm_exec_node.js"), file, "-test.short", "-test.v"];
    const said = execFileSync(process.execPath, run, { cwd: path.join(goroot, "src/sort"), encoding: "utf8", env });
    assert.match(said, /--- PASS: TestStability[\s\S]*\nPASS\n$/);
  } finally {
    await rm(dir, { recursive: true });
  }
});
