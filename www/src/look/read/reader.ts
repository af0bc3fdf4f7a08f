// The page's side of the worker that reads pictures. It starts when it is first asked,
// or when the page has nothing else to do: its file is no part of the first screen.
import type { Calls, Readable, Reply } from './calls';
import { ReadFault } from './fault';
import { startWorker } from './workerfile';
import type { Stage } from './phase';
import { read as words } from '../../strings';

/** Who waits for a call: `signal` ends it, `onProgress` is told how far it is. */
export interface Watch {
  signal?: AbortSignal;
  onProgress?(stage: Stage, done: number, total: number): void;
}

interface Waiting extends Watch {
  done(answer: never): void;
  failed(cause: Error): void;
  /** Puts off the moment from which on the worker is taken to hang. */
  alive(): void;
}

let worker: Worker | null = null;
let count = 0;
const waiting = new Map<number, Waiting>();

function start(): Worker {
  if (worker) return worker;
  const made = (worker = startWorker());
  made.onmessage = ({ data }: MessageEvent<Reply>) => {
    const call = waiting.get(data.id);
    if (data.progress) {
      call?.alive();
      return call?.onProgress?.(...data.progress);
    }
    waiting.delete(data.id);
    if (!data.failed) return call?.done(data.answer as never);
    const { kind, message } = data.failed;
    call?.failed(kind === 'internal' ? new Error(message) : new ReadFault(kind, message));
  };
  // Memory ends it, or its file did not arrive. The next call starts another.
  made.onerror = (event) => {
    event.preventDefault();
    ended(made, event.message || words.noReason);
  };
  return made;
}

// Work that reports nothing for so long hangs: a damaged file can make a reader follow pieces for
// ever.
const PATIENCE = 120_000;

function call(name: keyof Calls, watch: Watch) {
  return (...args: unknown[]) =>
    new Promise((done, failed) => {
      const { signal, onProgress } = watch;
      if (signal?.aborted) return failed(signal.reason);
      const id = ++count;
      const made = start();
      let late: ReturnType<typeof setTimeout>;
      const alive = () => {
        clearTimeout(late);
        late = setTimeout(() => ended(made, words.worker.late(PATIENCE / 1000)), PATIENCE);
      };
      const settled =
        <T>(then: (x: T) => void) =>
        (x: T) => {
          clearTimeout(late);
          signal?.removeEventListener('abort', abort);
          then(x);
        };
      const abort = () => {
        made.postMessage({ cancel: id });
        // The worker's own answer, if it comes, frees what it opened.
        waiting.set(id, { done: discard, failed: () => {}, alive: () => {} });
        settled(failed)(signal!.reason);
      };
      signal?.addEventListener('abort', abort);
      waiting.set(id, { done: settled(done), failed: settled(failed), onProgress, alive });
      alive();
      made.postMessage({ id, call: name, args }, ports(args));
    });
}

// The ports of pixels, which move to the worker.
const ports = (args: readonly unknown[]): MessagePort[] =>
  args.flatMap((arg) =>
    arg instanceof MessagePort ? arg : ((arg as Readable | null)?.tiff?.port ?? []),
  );

// Closes a picture that was opened for nobody.
function discard(answer: unknown): void {
  if (answer instanceof ImageBitmap) answer.close();
  else if (answer && typeof answer === 'object' && 'id' in answer)
    void reader.close(Number(answer.id));
}

function ended(one: Worker, reason: string): void {
  one.terminate();
  if (worker !== one) return;
  worker = null;
  const cause = new ReadFault('limit', words.worker.stopped(reason));
  for (const { failed } of waiting.values()) failed(cause);
  waiting.clear();
}

const names: (keyof Calls)[] = ['picture', 'part', 'pixels', 'serve', 'compose', 'hash', 'close'];

/**
 * The calls of the reader for one who watches them. Faults are ReadFaults with the kinds of the
 * engine's errors.
 */
export const watched = (watch: Watch): Calls =>
  Object.fromEntries(names.map((name) => [name, call(name, watch)])) as unknown as Calls;

/** Reads pictures, watched by nobody. */
export const reader = watched({});

/** Has the worker's file fetched, and returns when it answers. */
export async function fetchReader(): Promise<void> {
  await reader.close(0);
}
