import type { Answer, Connection } from "./connection.js";
import { given } from "./limits.js";
import { ask, Resource } from "./resource.js";
import { nameOf, toBagFiles } from "./source.js";
import type { Bag, BagOptions, BagSet, Box, Bytes, FileLike, Model, Slide } from "./types.js";

type Opened = Answer<"openBag">;

/** On the wire, 0 means the engine's default. */
const defaultLimits = { bytes: 0, elements: 0, pixels: 0, instances: 0, bags: 0, columns: 0 };

export class OpenBag implements Bag {
  readonly name: string;
  readonly instances: number;
  readonly shape: readonly number[];
  readonly raw: boolean;
  readonly boxes: readonly Box[] | null;
  readonly labels: readonly number[] | null;
  readonly classes: readonly number[] | null;
  readonly slide: Slide | null;

  private constructor(
    readonly resource: Resource<Opened>,
    { info }: Opened,
  ) {
    this.name = info.name;
    this.instances = info.instances;
    this.shape = info.shape;
    this.raw = info.raw;
    this.boxes = info.boxes;
    this.labels = info.labels;
    this.classes = info.classes;
    this.slide = info.slide;
  }

  static async open(connection: Connection, open: () => Promise<Opened>): Promise<OpenBag> {
    const resource = new Resource(connection, "bag", open);
    return new OpenBag(resource, await resource.open());
  }

  async values(): Promise<Float32Array> {
    this.resource.check();
    return (await ask("getValues", [this.resource], (bag) => ({ bag }))).values;
  }

  async select(instances: readonly number[]): Promise<Bag> {
    const { resource } = this;
    resource.check();
    const chosen = [...instances];
    return OpenBag.open(resource.connection, () =>
      ask("selectInstances", [resource], (bag) => ({ bag, instances: chosen })),
    );
  }

  close(): void {
    this.resource.close();
  }
}

export class OpenBagSet implements BagSet {
  readonly length: number;
  readonly names: readonly string[];
  readonly notes: readonly string[];

  private constructor(
    private readonly resource: Resource<Answer<"readBags">>,
    { names, notes }: Answer<"readBags">,
  ) {
    this.length = names.length;
    this.names = names;
    this.notes = notes;
  }

  static async open(
    connection: Connection,
    read: () => Promise<Answer<"readBags">>,
  ): Promise<OpenBagSet> {
    const resource = new Resource(connection, "set of bags", read);
    return new OpenBagSet(resource, await resource.open());
  }

  async bag(index: number): Promise<OpenBag> {
    const { resource } = this;
    resource.check();
    return OpenBag.open(resource.connection, () =>
      ask("openBag", [resource], (set) => ({ set, index, labels: null })),
    );
  }

  close(): void {
    this.resource.close();
  }
}

/** Returns a function that reads files; it can be called repeatedly. */
export async function reader(
  connection: Connection,
  source: Bytes | readonly FileLike[],
  options: BagOptions,
  modelOf: (model: Model) => Resource,
): Promise<() => Promise<Answer<"readBags">>> {
  const { patch, instanceShape = [], array = "", adjacency = "", name, limits } = options;
  const { files, parts } = await toBagFiles(
    source,
    name ?? (Array.isArray(source) ? undefined : nameOf(source as Bytes)),
  );
  const request = {
    files,
    patch: patch
      ? { size: patch.size ?? 0, stride: patch.stride ?? 0, background: patch.background ?? 0 }
      : null,
    instanceShape: [...instanceShape],
    array,
    adjacency,
    limits: limits ? { ...defaultLimits, ...given(limits) } : null,
  };
  const { model } = options;
  if (!model) return () => connection.request("readBags", { ...request, model: 0 }, { parts });
  const resource = modelOf(model);
  return () => ask("readBags", [resource], (handle) => ({ ...request, model: handle }), { parts });
}
