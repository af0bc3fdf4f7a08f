// The page's side of the worker that reads pictures and features. It starts when it is first asked, or when the page has
// nothing else to do: its file is no part of the first screen.
import type { Calls, Reply } from './calls';
import { ReadFault } from './fault';
import { read as words } from '../../strings';

let worker: Worker | null = null;
let count = 0;
const waiting = new Map<
  number,
  { done: (answer: never) => void; failed: (cause: Error) => void }
>();

function start(): Worker {
  if (worker) return worker;
  const made = (worker = new Worker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'reader',
  }));
  made.onmessage = ({ data }: MessageEvent<Reply>) => {
    const call = waiting.get(data.id);
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

// What takes longer is a damaged file, in which a reader follows pieces for ever.
const PATIENCE = 120_000;

function call(name: keyof Calls) {
  return (...args: unknown[]) =>
    new Promise((done, failed) => {
      const id = ++count;
      const made = start();
      const late = setTimeout(() => ended(made, words.worker.late(PATIENCE / 1000)), PATIENCE);
      const settled =
        <T>(then: (x: T) => void) =>
        (x: T) => (clearTimeout(late), then(x));
      waiting.set(id, { done: settled(done), failed: settled(failed) });
      made.postMessage({ id, call: name, args });
    });
}

function ended(one: Worker, reason: string): void {
  one.terminate();
  if (worker !== one) return;
  worker = null;
  const cause = new ReadFault('limit', words.worker.stopped(reason));
  for (const { failed } of waiting.values()) failed(cause);
  waiting.clear();
}

const names: (keyof Calls)[] = [
  'picture',
  'part',
  'survey',
  'cut',
  'together',
  'compose',
  'arrays',
  'hash',
  'close',
];

/** Reads files. Faults are ReadFaults with the kinds of the engine's errors. */
export const reader = Object.fromEntries(
  names.map((name) => [name, call(name)]),
) as unknown as Calls;

/** Has the worker's file fetched, and returns when it answers. */
export async function fetchReader(): Promise<void> {
  await reader.close(0);
}
