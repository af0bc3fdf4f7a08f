// What a page downloads: the program's size, and the steps of the build that make it smaller.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { rewriteData } from "../scripts/data.mjs";
import { op } from "../scripts/code/instructions.mjs";
import { clearTable } from "../scripts/functab.mjs";
import { shrink } from "../scripts/shrink.mjs";
import { addStart } from "../scripts/start.mjs";
import { dropTraces } from "../scripts/traces.mjs";
import { program, sizes } from "../scripts/size.mjs";

test("the program stays within its size", async () => {
  const limit = 1_250_000;
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

/** The number of segments, which follows the number of the section and its size. */
const segmentsOf = (bytes) => bytes[bytes.findIndex((byte, i) => i > moduleWith().length && byte < 128) + 1];

const memoryOf = async (bytes) =>
  Buffer.from((await WebAssembly.instantiate(bytes)).instance.exports.m.buffer.slice(0));

describe("rewriting the data section", () => {
  for (const [gap, segments] of [
    [0, 3],
    [181, 3],
    [182, 2],
    [65536, 1],
  ])
    test(`leaves memory as it was, with zeros up to ${gap} in ${segments} segments`, async () => {
      const written = rewriteData(scattered, undefined, gap);
      assert.deepEqual(await memoryOf(written), await memoryOf(scattered));
      assert.equal(segmentsOf(written), segments);
    });

  test("writes what the edit leaves", async () => {
    const want = await memoryOf(scattered);
    want[201] = 0;
    const edit = (bytes) => (bytes[201 - 16] = 0); // memory begins at 16
    assert.deepEqual(await memoryOf(rewriteData(scattered, edit)), want);
  });

  test("leaves a module without data alone", () => {
    assert.deepEqual(Uint8Array.from(rewriteData(moduleWith())), moduleWith());
  });

  test("refuses what it would get wrong", () => {
    const overlapping = moduleWith(...[11, 15, 2], ...[0, 0x41, 1, 0x0b, 2, 5, 6], ...[0, 0x41, 2, 0x0b, 2, 5, 6]);
    assert.throws(() => rewriteData(overlapping), /overlap/);
    assert.throws(() => rewriteData(moduleWith(11, 5, 1, 1, 2, 5, 6)), /constant address/);
    assert.throws(() => rewriteData(moduleWith(12, 1, 0)), /how many/);
    assert.throws(() => rewriteData(moduleWith(11, 9, 1)), /ends/);
    assert.throws(() => rewriteData(moduleWith(11, 128)), /ends/);
  });
});

/** A Go program that walks, scans, grows and unwinds stacks, and names the functions on them. */
const stacks = `package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type node struct{ next *node; value [8]int }

//go:noinline
func names() []string {
	pc := make([]uintptr, 50)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	var out []string
	for {
		f, more := frames.Next()
		out = append(out, f.Function)
		if !more {
			return out
		}
	}
}

func inlined() []string { return names() }

func deep(n int, list *node) (sum int) {
	defer func() { sum += recover().(int) }()
	fresh := &node{next: list}
	fresh.value[n%8] = n
	if n == 0 {
		runtime.GC()
		panic(1)
	}
	kept := fresh
	sum = deep(n-1, fresh)
	runtime.KeepAlive(kept)
	panic(kept.value[n%8] + sum)
}

func main() {
	for range 3 {
		fmt.Println(deep(2000, nil))
	}
	fmt.Println(strings.Join(inlined(), " "))
	done := make(chan bool)
	go func() { defer close(done); runtime.Gosched(); runtime.GC() }()
	<-done
	fmt.Println("lines:", strings.Contains(string(debug.Stack()), "main.go:"))
	left := make(chan any)
	go func() {
		defer close(left)
		defer func() { left <- recover() }()
		defer func() { panic("over") }()
		defer runtime.GC()
		runtime.Goexit()
	}()
	for said := range left {
		fmt.Println(said)
	}
	var none *node
	defer func() { fmt.Println(recover()) }()
	fmt.Println(none.value)
}
`;

test("a program that is shrunk runs as before", async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "stacks-"));
  try {
    const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
    const file = path.join(dir, "main.wasm");
    await writeFile(path.join(dir, "main.go"), stacks);
    const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };
    execFileSync("go", ["build", "-ldflags=-w", "-o", file, path.join(dir, "main.go")], { cwd: dir, env });
    const run = () =>
      execFileSync(process.execPath, [path.join(goroot, "lib/wasm/wasm_exec_node.js"), file], { encoding: "utf8" });
    const before = run();
    assert.match(before, /runtime\.Callers main\.names main\.inlined main\.main runtime\.main .*lines: true/s);
    const module = await readFile(file);
    await writeFile(
      file,
      shrink(module, (name) => name.startsWith("main.")),
    );
    const changes = { "runtime.Callers main.names main.inlined ": "main.names ", "lines: true": "lines: false" };
    let expected = before.replace("runtime.main runtime.goexit", " "); // two names that are empty
    for (const [from, to] of Object.entries(changes)) expected = expected.replace(from, to);
    assert.equal(run(), expected);
    const kept = Buffer.from(shrink(module, () => false));
    assert.ok(kept.length < 0.8 * module.length, `${kept.length} of ${module.length} bytes`);
    assert.ok(!kept.includes("main.inlined"));
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("a memory without Go's tables is refused", () => {
  assert.throws(() => dropTraces(new Uint8Array(100), 0, () => false), /no table of functions/);
  assert.throws(() => clearTable(new Uint8Array(100), 0), /no table of functions/);
});

test("a function is added that runs first", async () => {
  const store = [0x41, 16, 0x41, 7, 0x36, 0, 0, 0x0b];
  const code = [10, 2 + store.length + 1, 1, store.length + 1, 0, ...store];
  const functions = [...[1, 4, 1, 0x60, 0, 0], ...[3, 2, 1, 0]];
  const module = Uint8Array.of(...moduleWith().subarray(0, 8), ...functions, ...moduleWith().subarray(8), ...code);
  const set = (at, value) => [
    { op: op.i32Const, a: at },
    { op: op.i32Const, a: value },
    { op: op.i32Store, a: 0, b: 0 },
  ];
  const started = addStart(module, { locals: [[2, 0x7f]], list: [...set(20, 5), ...set(24, 6), { op: op.end }] });
  const memory = await memoryOf(started);
  assert.deepEqual([memory[16], memory[20], memory[24]], [0, 5, 6]);
  assert.throws(() => addStart(started, { locals: [], list: [{ op: op.end }] }), /runs first/);
});
