/**
 * Runs the wasm program in the thread that loads this module, and exchanges messages with it as
 * bytes.
 */

import "wasm_exec";
import { link } from "../../simd/simd.js";
import type { Part, Stretch } from "./channel.js";
import { Decoder, type DecoderSource } from "./decoder.js";
import type { Device } from "./device.js";
import type { ByteArray, Packet } from "./codec.js";

/** The part of Go's wasm_exec.js in use here. */
interface GoProgram {
  importObject: WebAssembly.Imports & { gojs: Record<string, unknown> };
  mem: DataView;
  exit: (code: number) => void;
  _resume(): void;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** The global object that wasm/main.go reads when it starts. */
interface Port {
  device?: Device | undefined;
  started(receive: (length: number) => void, wake: () => void): void;
  post(address: number, length: number): void;
  /**
   * Reads a stretch of a kept file into a part of memory, and then calls `done` with "" or the
   * reason of a failure.
   */
  read(
    part: number,
    at: number,
    address: number,
    length: number,
    done: (fault: string) => void,
  ): void;
  /**
   * Decodes a stream of JPEG 2000 by at most so many bytes of memory and steps, see decoder.ts, and
   * then calls `done` with the problem, or "", and its reason.
   */
  decode(
    address: number,
    length: number,
    result: number,
    resultLength: number,
    memory: number,
    steps: number,
    done: (problem: string, reason: string) => void,
  ): void;
  yield(): void;
  /**
   * Computes the SHA-256 of a part of memory and passes it to `done` in hexadecimal, or "" after a
   * failure. Optional.
   */
  digest?: ((address: number, length: number, done: (sum: string) => void) => void) | undefined;
}

const scope = globalThis as unknown as {
  Go: new () => GoProgram;
  bagscopePort?: Port | undefined;
  wasm?: object;
};

export interface Program {
  /**
   * Sends a message. The program runs until its next yield before this returns, except for a blob
   * and for messages that are sent while a blob is read.
   */
  send(message: Packet): void;
  /** Makes a file readable for the program, or no longer. */
  keep(part: Part): void;
}

/** Bytes of a blob that are read at a time. */
const piece = 1 << 22;

/** Bytes up to which a blob is read at once: a stream takes a millisecond more. */
const small = 1 << 17;

/**
 * Number of characters of the program's standard error that are kept for the message after a crash.
 */
const keptOutput = 4096;

/**
 * Starts the program; messages wait until it runs. `onMessage` gets a copy of each message.
 * `onExit` is called once with the reason when the program ends, which only happens after a crash.
 * `onUnread` gets the number of a message with a file that cannot be read. `source` has the decoder
 * of JPEG 2000. `device` is for a program that supports graphics processors.
 */
export function startProgram(
  module: WebAssembly.Module,
  onMessage: (message: ByteArray) => void,
  onExit: (reason: string) => void,
  onUnread: (id: number, reason: string) => void,
  source: DecoderSource,
  device?: Device,
): Program {
  const go = new scope.Go();
  let output = "";
  let over = false;
  const end = (reason: string) => {
    if (over) return;
    over = true;
    onExit(crashWords(output, reason));
  };
  go.exit = () => {};
  // Timers of Go call the program directly, and would do so after it has ended.
  const resume = go._resume.bind(go);
  go._resume = () => guarded(resume);
  // The program writes only when it crashes. By default, the text goes to the console instead of
  // the error.
  go.importObject.gojs["runtime.wasmWrite"] = (stack: number) => {
    const at = (stack >>> 0) + 16;
    const start = go.mem.getUint32(at, true);
    const length = go.mem.getInt32(at + 8, true);
    output += new TextDecoder().decode(new Uint8Array(go.mem.buffer, start, length));
    output = output.slice(0, keptOutput);
  };
  const kept = new Map<number, Blob | MessagePort>();
  const decoder = new Decoder(source);
  let write = async (_: Packet) => {};
  const waiting: Packet[] = [];
  let idle = false; // whether no message is being delivered to the program

  /** Delivers waiting messages to the program, one after another. */
  async function bring(): Promise<void> {
    idle = false;
    for (let next; (next = waiting.shift());) {
      const done = write(next);
      if (next instanceof Blob) await done;
    }
    idle = true;
  }

  /** Runs the program until it waits for the next event; a trap ends the program. */
  function guarded(enter: () => void): void {
    if (over) return;
    try {
      enter();
    } catch (cause) {
      end(String(cause));
    }
  }

  function begin(instance: WebAssembly.Instance): void {
    const { mem, alloc } = instance.exports as unknown as {
      mem: WebAssembly.Memory;
      alloc(n: number): number;
    };
    let receive: (length: number) => void = () => {};
    let wake = () => {};
    simd.attach(instance);
    // The WebGPU binding finds the program's memory by this name.
    if (device) scope.wasm = { instance };
    scope.bagscopePort = {
      device,
      started(r, w) {
        receive = r;
        wake = w;
      },
      post: (address, length) => onMessage(new Uint8Array(mem.buffer, address, length).slice()),
      read(part, at, address, length, done) {
        const file = kept.get(part);
        const reading = !file
          ? Promise.reject(new Error("the request has ended"))
          : file instanceof Blob
            ? fill(memory, address, file.slice(at, at + length), () => over)
            : asked(file, { at, length }).then((bytes) => memory(address, length).set(bytes));
        reading.then(
          () => guarded(() => done("")),
          (cause) => guarded(() => done(wordsOf(cause))),
        );
      },
      decode(address, length, result, resultLength, most, steps, done) {
        const task = {
          stream: () => memory(address, length),
          result: () => memory(result, resultLength),
          ...{ memory: most, steps },
        };
        void decoder.decode(task).then((problem) => guarded(() => done(...problem)));
      },
      yield: macrotask(() => guarded(wake)),
      // Only pages from https or localhost have crypto.subtle.
      digest: globalThis.crypto?.subtle && digest,
    };
    try {
      go.run(instance).then(
        () => end("it exited"),
        (cause) => end(String(cause)),
      );
    } finally {
      delete scope.bagscopePort;
    }
    function digest(address: number, length: number, done: (sum: string) => void): void {
      crypto.subtle.digest("SHA-256", memory(address, length)).then(
        (sum) => guarded(() => done(Array.from(new Uint8Array(sum), hex).join(""))),
        () => guarded(() => done("")),
      );
    }
    const memory = (address: number, length: number) => new Uint8Array(mem.buffer, address, length);
    write = async (message) => {
      if (message instanceof Blob) return copied(message);
      guarded(() => {
        memory(alloc(message.length) >>> 0, message.length).set(message);
        receive(message.length);
      });
    };
    // The file is read directly into the program's memory; this process has no other copy.
    async function copied(message: Blob): Promise<void> {
      let address = 0;
      guarded(() => (address = alloc(message.size) >>> 0));
      try {
        await fill(memory, address, message, () => over);
      } catch (cause) {
        const id = new DataView(await message.slice(2, 6).arrayBuffer()).getUint32(0, true);
        return onUnread(id, `a file cannot be read: ${wordsOf(cause)}`);
      }
      guarded(() => receive(message.size));
    }
    void bring();
  }

  const simd = link(go.importObject);
  // Not `new WebAssembly.Instance`: browsers reject it in pages for programs above a few megabytes.
  WebAssembly.instantiate(module, go.importObject).then(
    (instance) => guarded(() => begin(instance)),
    (cause) => end(String(cause)),
  );
  return {
    send(message) {
      waiting.push(message);
      if (idle) void bring();
    },
    keep({ part, file }) {
      const before = kept.get(part);
      if (before && !(before instanceof Blob)) before.close();
      if (file) kept.set(part, file);
      else kept.delete(part);
    },
  };
}

/** Returns a stretch of a file that the other side of a port has. */
function asked(port: MessagePort, stretch: Stretch): Promise<Uint8Array> {
  return new Promise((done, failed) => {
    // The program reads one stretch after another.
    port.onmessage = ({ data }: MessageEvent<Uint8Array | Error>) =>
      data instanceof Error ? failed(data) : done(data);
    port.postMessage(stretch);
  });
}

/** Copies a file into the program's memory, until the program has ended. */
async function fill(
  memory: (address: number, length: number) => Uint8Array,
  address: number,
  file: Blob,
  ended: () => boolean,
): Promise<void> {
  if (file.size <= small) {
    const bytes = await bytesOf(file);
    // Only now: the memory may have grown meanwhile, which invalidates its views.
    return memory(address, bytes.length).set(bytes);
  }
  const next = pieces(file);
  for (let at = 0; at < file.size && !ended();) {
    const bytes = await next();
    if (!bytes) throw new Error("it has become shorter");
    memory(address + at, bytes.length).set(bytes);
    at += bytes.length;
  }
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * Returns a function that returns the next bytes of a file, or undefined at its end. All pieces lie
 * in one buffer: buffers of their own would be garbage of a quarter of a large file before they are
 * collected. WebKit lacks such readers for files.
 */
function pieces(file: Blob): () => Promise<Uint8Array | undefined> {
  let reader: ReadableStreamBYOBReader;
  const stream = file.stream();
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    const plain = stream.getReader();
    return async () => (await plain.read()).value;
  }
  let buffer = new ArrayBuffer(Math.min(piece, Math.max(file.size, 1)));
  return async () => {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return undefined;
    buffer = value.buffer;
    return value;
  };
}

const wordsOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** Returns the reason of a crash in a sentence, from the program's standard error. */
function crashWords(output: string, reason: string): string {
  const fatal = /^(?:fatal error|panic|runtime): .*$/m.exec(output)?.[0] ?? reason;
  if (/out of memory|cannot allocate/.test(output)) {
    return (
      `the engine ran out of memory and was stopped (${fatal}); a smaller bag, fewer ` +
      "samples or a smaller model may fit"
    );
  }
  if (/stack/.test(fatal)) return `the engine ran out of stack and was stopped (${fatal})`;
  return `the engine stopped: ${fatal}`;
}

const hex = (byte: number) => byte.toString(16).padStart(2, "0");

/**
 * Returns a function that schedules `run` after the waiting events, without the 4 ms delay of a
 * nested setTimeout.
 */
function macrotask(run: () => void): () => void {
  if (typeof setImmediate === "function") return () => void setImmediate(run);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = run;
  return () => port2.postMessage(null);
}
