// The engine and the prepared bags, opened in it. This module comes after the first screen.
import type { Bag, Engine, Model } from 'bagscope';
import { boot, fetchBytes } from '../lib/engine';
import { bags, type Prepared } from './bags';

export interface Open {
  model: Model;
  bag: Bag;
}

export interface Live {
  engine: Engine;
  open(entry: Prepared): Promise<Open>;
}

/** Starts the engine and fetches all that is needed to open any of the prepared bags. */
export async function start(onWorkerLost: (reason: string) => void): Promise<Live> {
  const folders = [...new Set(bags.map((b) => b.files))];
  const [engine, files] = await Promise.all([
    boot(onWorkerLost),
    Promise.all(folders.map(async (folder) => [folder, await both(folder)] as const)),
  ]);
  return live(engine, new Map(files));
}

type Files = [model: Uint8Array, bags: Uint8Array];

function live(engine: Engine, files: Map<string, Files>): Live {
  const models = new Map<string, Promise<Model>>();
  const opened = new Map<string, Promise<Open>>();
  const model = (folder: string) => {
    if (!models.has(folder))
      models.set(folder, engine.open(files.get(folder)![0], { name: 'model.onnx' }));
    return models.get(folder)!;
  };
  const open = async ({ files: folder, index }: Prepared): Promise<Open> => ({
    model: await model(folder),
    bag: await engine.bag(files.get(folder)![1], { name: 'bags.npz', index }),
  });
  return {
    engine,
    open(entry) {
      if (!opened.has(entry.key)) opened.set(entry.key, open(entry));
      return opened.get(entry.key)!;
    },
  };
}

function both(folder: string): Promise<Files> {
  const get = (name: string) => fetchBytes(`example/${folder}${name}`);
  return Promise.all([get('model.onnx'), get('bags.npz')]);
}
