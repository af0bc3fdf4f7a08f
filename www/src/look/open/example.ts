// The example that comes with the page: its files, and the bags and settings that belong to it.
import type { FileLike } from 'bagscope';
import { fetchExample, type Example } from '../../lib/engine';
import { digits, type Bundle, type Network } from './networks';
import type { BagSource, ModelSource } from '../state/types';

let files: Example | null = null;
let file: FileLike | null = null;
let bundle: Bundle = digits;
let name = 'digits.onnx';

/** Fetches the example, under a network of its own if one is given. */
export async function fetchFiles(network: Network | null): Promise<Example> {
  bundle = network?.bags ?? digits;
  name = `${network?.folds ? 'fold0' : (network?.key ?? 'digits')}.onnx`;
  files = await fetchExample(network?.url, bundle.url, bundle.annotations, network?.folds);
  // Slides are read by ranges, as files of the user's are.
  file = bundle.annotations
    ? new File([files.bags], bundle.name)
    : { name: bundle.name, data: files.bags };
  return files;
}

/** What suits the example's bags. */
export const suits = (): Bundle => bundle;

/** The example as sources; null if it could not be fetched. */
export function exampleSources(): { model: ModelSource; bags: BagSource } | null {
  if (!files || !file) return null;
  return {
    model: {
      name,
      bytes: files.model,
      folds: files.folds.map((bytes, n) => ({ name: `fold${n + 1}.onnx`, bytes })),
    },
    // Asking the reader first would have the first explanation wait for its 392 kB: .17 s at 10
    // Mbit/s.
    bags: {
      name: bundle.name,
      files: [file],
      ready: bundle.ready,
      annotations: files.annotations,
    },
  };
}

/** Whether a model or a bag is the example's. */
export function isExample(source: ModelSource | BagSource | null): boolean {
  if (!source || !files) return false;
  if ('bytes' in source) return source.bytes === files.model;
  return source.files.some((f) => f === file);
}
