// Starts the engine and fetches the bundled example. After this the page asks for nothing more.
import { hasGraphicsProcessor, load, type Engine, type LoadOptions } from 'bagscope';
import { fetchBytes, gpuProgram, programs } from '../site/files';

export { fetchBytes };

/** The device that encodes; undefined for the CPU. */
export type Device = Exclude<LoadOptions['device'], 'cpu'>;

/**
 * Starts the engine in workers of its own. `onWorkerLost` is called when one of those that help
 * ends by itself.
 */
export async function boot(
  onWorkerLost: (reason: string) => void,
  device?: Device,
): Promise<Engine> {
  return load({ ...(await programs()), device, onWorkerLost });
}

/** Returns the URLs of the programs that `boot` has fetched beside that of every visit. */
export async function furtherPrograms(device?: Device): Promise<string[]> {
  const used = device === 'gpu' || (device && (await hasGraphicsProcessor()));
  return used && gpuProgram ? [gpuProgram] : [];
}

/** The files of the example that comes with the page. */
export interface Example {
  model: Uint8Array<ArrayBuffer>;
  /** Further models, which are one with it. */
  folds: Uint8Array<ArrayBuffer>[];
  bags: Uint8Array<ArrayBuffer>;
  /** Of a slide: the truth of its patches, GeoJSON. */
  annotations?: Uint8Array<ArrayBuffer>;
}

/**
 * Fetches the example, which lies beside the folder of this page, or another model or other bags
 * that lie where is said, the annotations of a slide, and further models.
 */
export async function fetchExample(
  model = '../example/model.onnx',
  bags = '../example/bags.npz',
  annotations?: string,
  folds: readonly string[] = [],
): Promise<Example> {
  const files = await Promise.all([
    fetchBytes(model),
    fetchBytes(bags),
    annotations === undefined ? undefined : fetchBytes(annotations),
    Promise.all(folds.map((url) => fetchBytes(url))),
  ]);
  return { model: files[0], bags: files[1], annotations: files[2], folds: files[3] };
}

/**
 * Forbids this page any further connection: a second policy in the document can only take away.
 * What follows is then not a promise but a rule that the browser keeps.
 */
export function seal(): void {
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = "connect-src 'none'; img-src blob: data:; form-action 'none'";
  document.head.append(meta);
}
