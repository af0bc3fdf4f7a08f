/** Shares one engine among all elements of a page, and opens each model and file of bags once. */

import { BagscopeError } from "../error.js";
import type { BagSet, Bytes, Engine, Loading, Model, ReadOptions } from "../types.js";

/** An absolute URL, bytes, or a chosen file. */
export type Source = Bytes | string;

/**
 * How long an unused engine is kept, in milliseconds, because pages remove and insert elements when
 * they move them.
 */
const unusedTime = 10_000;

interface Opened {
  engine: Promise<Engine>;
  models: Map<Source, Map<Source | null, Promise<Model>>>;
  /** By file, model, and the options of reading as JSON. */
  sets: Map<Source, Map<Promise<Model>, Map<string, Promise<BagSet>>>>;
}

/** Called while the engine is being fetched. */
type OnLoading = (loading: Loading) => void;

export class EngineCache {
  private waiting = new Set<OnLoading>();
  private opened: Opened | null = null;
  private users = 0;
  private end: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly load: (onLoading: OnLoading) => Promise<Engine>) {}

  enter(): void {
    this.users++;
    clearTimeout(this.end);
  }

  leave(): void {
    if (--this.users > 0) return;
    clearTimeout(this.end);
    this.end = setTimeout(() => this.close(), unusedTime);
  }

  engine(onLoading: OnLoading): Promise<Engine> {
    this.waiting.add(onLoading);
    return this.open().engine.finally(() => this.waiting.delete(onLoading));
  }

  /** Opens a model, with a card if one is given. */
  model(source: Source, card: Source | null): Promise<Model> {
    const { engine, models } = this.open();
    return once(inner(models, source), card, async () => {
      const [file, text] = await Promise.all([read(source), card && read(card)]);
      return (await engine).open(file.bytes, {
        name: file.name,
        ...(text ? { card: await new Response(text.bytes as BodyInit).text() } : {}),
      });
    });
  }

  /** Opens a file of bags. A model gives the options that are missing. */
  bags(source: Source, model: Promise<Model>, options: ReadOptions): Promise<BagSet> {
    const { engine, sets } = this.open();
    const ofModel = inner(inner(sets, source), model);
    return once(ofModel, JSON.stringify(options), async () => {
      const [file, opened] = await Promise.all([read(source), model]);
      return (await engine).bags(file.bytes, { ...options, name: file.name, model: opened });
    });
  }

  private open(): Opened {
    if (!this.opened) {
      const engine = this.load((loading) => this.waiting.forEach((tell) => tell(loading)));
      this.opened = { engine, models: new Map(), sets: new Map() };
      engine.catch(() => (this.opened = null)); // the next element tries again
    }
    return this.opened;
  }

  private close(): void {
    this.opened?.engine.then((engine) => engine.close()).catch(() => {});
    this.opened = null;
  }
}

function inner<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let found = map.get(key);
  if (!found) map.set(key, (found = new Map()));
  return found;
}

/** Returns the value of a key, created if it is missing. A failed value is removed. */
function once<K, V>(map: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  let found = map.get(key);
  if (!found) {
    map.set(key, (found = make()));
    found.catch(() => map.delete(key));
  }
  return found;
}

interface Read {
  bytes: Bytes;
  name: string;
}

async function read(source: Source): Promise<Read> {
  if (typeof source !== "string")
    return {
      bytes: source,
      name: "name" in source && typeof source.name === "string" ? source.name : "",
    };
  const fault = (reason: unknown) =>
    new BagscopeError("format", `${source} cannot be fetched: ${reason}`);
  const response = await fetch(source).catch((cause: unknown) => {
    throw fault(cause instanceof Error ? cause.message : cause);
  });
  if (!response.ok) throw fault(`${response.status} ${response.statusText}`);
  return { bytes: await response.arrayBuffer(), name: nameIn(new URL(source)) };
}

/** Returns the name of the file at an address, as it stands if its escapes are invalid. */
function nameIn({ pathname }: URL): string {
  const name = pathname.split("/").pop() ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
