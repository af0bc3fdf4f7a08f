/** Runs codec.wasm, the decoder of JPEG 2000, beside the program, which cannot run it itself. */

/** Returns the module; it is fetched at the first call. */
export type DecoderSource = () => Promise<WebAssembly.Module>;

/** Returns a source that keeps the module of `source`, and asks again after a failure. */
export function kept(source: DecoderSource): DecoderSource {
  let module: Promise<WebAssembly.Module> | undefined;
  return () =>
    (module ??= source().catch((cause) => {
      module = undefined;
      throw cause;
    }));
}

/** The exports of the module, see tools/dev/codec/shim.c. */
interface Exports {
  memory: WebAssembly.Memory;
  take(length: number, memory: number, steps: number): number;
  decode(length: number): number;
}

/** Why there is no result, and the reason in words. */
export type Problem = ["" | "memory" | "trapped" | "unavailable", string];

/** What the module is to decode. Views of memory are made late, because memory grows. */
export interface Task {
  stream(): Uint8Array;
  /** Gets the words of the result, the text at the place of the error, and the samples. */
  result(): Uint8Array;
  /** The most bytes of memory of an instance. */
  memory: number;
  steps: number;
}

/** Words of a result: the place of the samples, six that the program reads, that of an error. */
const words = 7;
const wordBytes = 4 * words;
const messageBytes = 200;

/** Instances with more memory are not kept for the next stream. */
const keptBytes = 32 << 20;

/** Decodes one stream after another, by an instance that it keeps until the instance traps. */
export class Decoder {
  private instance: Exports | undefined;

  constructor(private readonly source: DecoderSource) {}

  async decode(task: Task): Promise<Problem> {
    let exports: Exports;
    try {
      exports = this.instance ?? (await this.instantiate());
    } catch (cause) {
      return ["unavailable", wordsOf(cause)];
    }
    // From here on nothing waits, so that no other stream gets in between.
    this.instance = undefined;
    try {
      const problem = run(exports, task);
      if (exports.memory.buffer.byteLength <= keptBytes) this.instance = exports;
      return problem;
    } catch (cause) {
      return ["trapped", wordsOf(cause)];
    }
  }

  private async instantiate(): Promise<Exports> {
    const { exports } = await WebAssembly.instantiate(await this.source());
    return exports as unknown as Exports;
  }
}

/** Decodes a stream, and copies the result without looking at it: the program checks it. */
function run({ memory, take, decode }: Exports, task: Task): Problem {
  const stream = task.stream();
  const at = take(stream.length, task.memory, task.steps) >>> 0;
  if (at === 0) return ["memory", ""];
  new Uint8Array(memory.buffer, at, stream.length).set(stream);
  const found = decode(stream.length) >>> 0;
  const result = task.result();
  result.set(new Uint8Array(memory.buffer, found, wordBytes));
  const word = (k: number) => new DataView(memory.buffer).getUint32(found + 4 * k, true);
  const text = Math.min(word(words - 1), memory.buffer.byteLength);
  result.set(new Uint8Array(memory.buffer, text).subarray(0, messageBytes), wordBytes);
  const samples = word(0);
  const length = result.length - wordBytes - messageBytes;
  // An exception if they lie outside of the memory.
  if (samples !== 0)
    result.set(new Uint8Array(memory.buffer, samples, length), wordBytes + messageBytes);
  return ["", ""];
}

const wordsOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));
