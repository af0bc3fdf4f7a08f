/** Runs the wasm program in the thread that this module is loaded in, and hands messages to and from it as bytes. */

import "wasm_exec";
import { link } from "../../simd/simd.js";
import type { Device } from "./channel.js";
import type { ByteArray, Packet } from "./codec.js";

/** The part of Go's wasm_exec.js that is used here. */
interface GoProgram {
  importObject: WebAssembly.Imports & { gojs: Record<string, unknown> };
  mem: DataView;
  exit: (code: number) => void;
  _resume(): void;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** What wasm/main.go looks for in the global scope while it starts. */
interface Port {
  device?: Device | undefined;
  started(receive: (length: number) => void, wake: () => void): void;
  post(address: number, length: number): void;
  yield(): void;
  /** Computes the SHA-256 of some memory; `done` gets it in hexadecimal, or "" if that failed. Absent where the browser has none. */
  digest?: ((address: number, length: number, done: (sum: string) => void) => void) | undefined;
}

const scope = globalThis as unknown as { Go: new () => GoProgram; bagscopePort?: Port | undefined; wasm?: object };

export interface Program {
  /**
   * Hands a message over. What the program does about it happens before this returns, up to its next yield, but
   * for a blob and what is sent while it is read.
   */
  send(message: Packet): void;
}

/** How much of a blob is read at a time. */
const piece = 1 << 23;

/** How much of what the program writes to its standard error is kept, for the words of a crash. */
const keptOutput = 4096;

/**
 * Starts the program; messages wait until it runs. `onMessage` gets each message as a copy; `onExit` is called once, with the reason, when the
 * program has ended, which only a crash makes it do; `onUnread` with the number of a message that holds a file which cannot be read.
 * `device` is for a program that knows graphics processors.
 */
export function startProgram(
  module: WebAssembly.Module,
  onMessage: (message: ByteArray) => void,
  onExit: (reason: string) => void,
  onUnread: (id: number, reason: string) => void,
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
  // Timers of Go enter the program by themselves, and would go on to do so when it is over.
  const resume = go._resume.bind(go);
  go._resume = () => guarded(resume);
  // The program writes only when it crashes. By default that goes to the console of a page that cannot help it.
  go.importObject.gojs["runtime.wasmWrite"] = (stack: number) => {
    const at = (stack >>> 0) + 16;
    const start = go.mem.getUint32(at, true);
    const length = go.mem.getInt32(at + 8, true);
    output += new TextDecoder().decode(new Uint8Array(go.mem.buffer, start, length));
    output = output.slice(0, keptOutput);
  };
  let write = async (_: Packet) => {};
  const waiting: Packet[] = [];
  let idle = false; // no message is on its way into the program

  /** Brings waiting messages into the program, one after another. */
  async function bring(): Promise<void> {
    idle = false;
    for (let next; (next = waiting.shift());) {
      const done = write(next);
      if (next instanceof Blob) await done;
    }
    idle = true;
  }

  /** Runs the program until it waits for the next event; a trap inside it is its end. */
  function guarded(enter: () => void): void {
    if (over) return;
    try {
      enter();
    } catch (cause) {
      end(String(cause));
    }
  }

  function begin(instance: WebAssembly.Instance): void {
    const { mem, alloc } = instance.exports as unknown as { mem: WebAssembly.Memory; alloc(n: number): number };
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
      yield: macrotask(() => guarded(wake)),
      // Pages that are neither from https nor from this machine have no crypto.subtle.
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
    // The file goes into the program's memory as it is read, and is nowhere else in this process.
    async function copied(message: Blob): Promise<void> {
      let address = 0;
      guarded(() => (address = alloc(message.size) >>> 0));
      try {
        for (let at = 0; at < message.size && !over; at += piece) {
          const bytes = new Uint8Array(await message.slice(at, at + piece).arrayBuffer());
          memory(address + at, bytes.length).set(bytes);
        }
      } catch (cause) {
        const id = new DataView(await message.slice(2, 6).arrayBuffer()).getUint32(0, true);
        return onUnread(id, `a file cannot be read: ${cause instanceof Error ? cause.message : cause}`);
      }
      guarded(() => receive(message.size));
    }
    void bring();
  }

  const simd = link(go.importObject);
  // Not `new WebAssembly.Instance`: browsers refuse that to pages for programs above a few megabytes.
  WebAssembly.instantiate(module, go.importObject).then(
    (instance) => guarded(() => begin(instance)),
    (cause) => end(String(cause)),
  );
  return {
    send(message) {
      waiting.push(message);
      if (idle) void bring();
    },
  };
}

/** The reason of a crash in a sentence, from what the program wrote while it died. */
function crashWords(output: string, reason: string): string {
  const fatal = /^(?:fatal error|panic|runtime): .*$/m.exec(output)?.[0] ?? reason;
  if (/out of memory|cannot allocate/.test(output)) {
    return `the engine ran out of memory and was stopped (${fatal}); a smaller bag, fewer samples or a smaller model may fit`;
  }
  if (/stack/.test(fatal)) return `the engine ran out of stack and was stopped (${fatal})`;
  return `the engine stopped: ${fatal}`;
}

const hex = (byte: number) => byte.toString(16).padStart(2, "0");

/** Returns a function that has `run` called after the events that wait already, without the 4 ms that a nested setTimeout takes. */
function macrotask(run: () => void): () => void {
  if (typeof setImmediate === "function") return () => void setImmediate(run);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = run;
  return () => port2.postMessage(null);
}
