// Starts the engine and fetches the bundled example. After this the page asks for nothing more.
import { load, type Engine } from 'bagscope';
import wasmURL from 'bagscope/bagscope.wasm?url';
import { read as words } from '../strings';

/** Starts the engine in workers of its own. `onWorkerLost` is called when one of those that help ends by itself. */
export function boot(onWorkerLost: (reason: string) => void): Promise<Engine> {
  return load({ wasmURL: new URL(wasmURL, document.baseURI), onWorkerLost });
}

/** The files of the example that comes with the page. */
export interface Example {
  model: Uint8Array;
  bags: Uint8Array;
}

/** Fetches the example, which lies beside the folder of this page. */
export async function fetchExample(): Promise<Example> {
  const [model, bags] = await Promise.all([bytes('model.onnx'), bytes('bags.npz')]);
  return { model, bags };
}

async function bytes(name: string): Promise<Uint8Array> {
  const path = `../example/${name}`;
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(words.worker.missing(path, response.status));
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * Forbids this page any further connection: a second policy in the document can only take away. What follows
 * is then not a promise but a rule that the browser keeps.
 */
export function seal(): void {
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = "connect-src 'none'; img-src blob: data:; form-action 'none'";
  document.head.append(meta);
}
