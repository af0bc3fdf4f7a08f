import { throwIfAborted, unlessAborted } from "./cancel.js";
import { Closable } from "./closable.js";
import { type Covariates, covariatesText } from "./covariates.js";
import type { Answer, Connection, RequestOptions } from "./connection.js";
import { BagscopeError } from "./error.js";
import { known } from "./known.js";
import { given } from "./limits.js";
import { ask, Resource } from "./resource.js";
import { nameOf, toBagFiles, toBytes } from "./source.js";
import type {
  Bag,
  BagInfo,
  BagOptions,
  BagSet,
  BagSource,
  Bytes,
  CallOptions,
  FileLike,
  Fixed,
  Model,
  PictureCut,
  PixelFile,
  TableView,
} from "./types.js";

type Opened = Answer<"openBag">;
type Read = Answer<"readBags">;

/** On the wire, 0 means the engine's default. */
const defaultLimits = { bytes: 0, elements: 0, pixels: 0, instances: 0, bags: 0, columns: 0 };

export interface OpenBag extends Fixed<BagInfo> {}

/**
 * An open bag. Its values stay in the program until `values` copies them; the other properties are
 * those of the program's answer. If the program ends unexpectedly, the next one opens the bag again.
 */
export class OpenBag extends Closable implements Bag {
  private constructor(
    readonly resource: Resource<Opened>,
    { info }: Opened,
    private readonly kept?: KeptFiles,
  ) {
    super();
    Object.assign(this, info);
    kept?.hold(this);
  }

  /** Opens a bag by a function that may be called again, for the next program. */
  static async open(
    connection: Connection,
    open: () => Promise<Opened>,
    kept?: KeptFiles,
  ): Promise<OpenBag> {
    const resource = new Resource(connection, "bag", open);
    return new OpenBag(resource, await resource.open(), kept);
  }

  async values(): Promise<Float32Array> {
    this.resource.check();
    return (await ask("getValues", [this.resource], (bag) => ({ bag }))).values;
  }

  async select(instances: readonly number[]): Promise<Bag> {
    const { resource } = this;
    resource.check();
    const chosen = [...instances]; // the caller may change the list before the bag is opened again
    return OpenBag.open(resource.connection, () =>
      ask("selectInstances", [resource], (bag) => ({ bag, instances: chosen })),
    );
  }

  async with(other: Bag): Promise<Bag> {
    const { resource } = this;
    const second = openedBag(other, resource.connection).resource;
    resource.check();
    second.check();
    return OpenBag.open(resource.connection, () =>
      ask("joinBags", [resource, second], (bag, other) => ({ bag, other })),
    );
  }

  async withInputs(inputs: string | Covariates): Promise<Bag> {
    const { resource } = this;
    resource.check();
    const text = covariatesText(inputs);
    return OpenBag.open(resource.connection, () =>
      ask("stateInputs", [resource], (bag) => ({ bag, inputs: text })),
    );
  }

  async withAnnotations(file: Bytes): Promise<Bag> {
    const { resource } = this;
    resource.check();
    const annotations = await toBytes(file);
    return OpenBag.open(resource.connection, () =>
      ask("labelBag", [resource], (bag) => ({ bag, annotations })),
    );
  }

  async concepts(file: FileLike): Promise<string> {
    const { resource } = this;
    resource.check();
    const [name, bytes] = [nameOf(file), await toBytes("data" in file ? file.data : file)];
    return (await ask("findConcepts", [resource], (bag) => ({ bag, name, bytes }))).text;
  }

  close(): void {
    this.resource.close();
    this.kept?.drop(this);
  }
}

/** Files that the program may read until the set and the bags that hold them are closed. */
class KeptFiles {
  private readonly holders = new Set<Closable>();

  constructor(private readonly forget: () => void) {}

  hold(holder: Closable): void {
    this.holders.add(holder);
  }

  drop(holder: Closable): void {
    if (this.holders.delete(holder) && this.holders.size === 0) this.forget();
  }
}

/** Returns the implementation of a bag of one engine; throws if another engine opened the bag. */
export function openedBag(bag: Bag, connection: Connection): OpenBag {
  if (!(bag instanceof OpenBag) || bag.resource.connection !== connection)
    throw new BagscopeError("setting", "the bag was not opened by this engine");
  return bag;
}

/** The bags of a file. Closing the set does not close the bags that were opened from it. */
export class OpenBagSet extends Closable implements BagSet {
  readonly length: number;
  readonly names: readonly string[];
  readonly notes: readonly string[];
  readonly cut: PictureCut | null;
  /** The bag that was opened with the set, until `bag` returns it. */
  private first: { index: number; bag: OpenBag } | null = null;

  private constructor(
    private readonly resource: Resource<Read>,
    { names, notes, cut }: Read,
    private readonly kept: KeptFiles,
  ) {
    super();
    kept.hold(this);
    this.length = names.length;
    this.names = names;
    this.notes = notes;
    this.cut = cut;
  }

  /** Opens a set, and with the same request its bag `index`, if there is one. */
  static async open(
    connection: Connection,
    { read, forget }: Reading,
    index: number | null,
  ): Promise<OpenBagSet> {
    let open = index; // read again, for the next program, the set is opened alone
    const resource = new Resource(connection, "set of bags", () => {
      const request = read(open);
      open = null;
      return request;
    });
    const answer = await resource.open();
    const set = new OpenBagSet(resource, answer, new KeptFiles(forget));
    if (index !== null && answer.opened)
      set.first = { index, bag: await set.open(index, answer.opened) };
    return set;
  }

  async bag(index: number, options: CallOptions = {}): Promise<OpenBag> {
    const { signal } = known("CallOptions", options);
    this.resource.check();
    return unlessAborted(signal, async () => {
      const { first } = this;
      if (first?.index !== index) return this.open(index);
      this.first = null;
      return first.bag;
    });
  }

  close(): void {
    this.first?.bag.close();
    this.resource.close();
    this.kept.drop(this);
  }

  /** Opens a bag, which an answer may have done already. */
  private open(index: number, opened: Opened | null = null): Promise<OpenBag> {
    const { resource } = this;
    const request = async () => {
      const known = opened;
      opened = null;
      return known ?? ask("openBag", [resource], (set) => ({ set, index, labels: null }));
    };
    return OpenBag.open(resource.connection, request, this.kept);
  }
}

/** Returns a source as the files of a request about bags, with the options of reading. */
async function toRequest(source: BagSource, options: BagOptions) {
  const { patch, instanceShape = [], array, adjacency, coordsUnit, dtype, inputs } = options;
  const { bagBy, columns, series, sliceAxes, window, slideMpp, name, limits, signal } = options;
  const { spacing, neighbours, tileNames, origin } = options;
  if (patch) known("PatchOptions", patch);
  const { files, parts } = await toBagFiles(
    source,
    name ?? (Array.isArray(source) ? undefined : nameOf(source as Bytes)),
  );
  throwIfAborted(signal);
  const body = {
    // null takes what the model card states
    read: {
      array: array ?? null,
      bagBy: bagBy ?? null,
      columns: columns ?? null,
      patchSize: patch?.size ?? null,
      stride: patch?.stride ?? null,
      background: patch?.background ?? null,
      adjacency: adjacency ?? null,
      coordsUnit: coordsUnit ?? null,
      origin: origin ?? null,
      tileNames: tileNames ?? null,
      dtype: dtype ?? null,
      series: series ?? null,
      sliceAxes: sliceAxes ?? null,
      window: window ?? null,
      spacing: spacing ?? null,
      neighbours: neighbours ?? null,
      inputs: inputs == null ? null : covariatesText(inputs),
      slideMpp: slideMpp ?? null,
    },
    instanceShape: [...instanceShape],
    limits: limits ? { ...defaultLimits, ...given(known("BagLimits", limits)) } : null,
    watch: options.onProgress !== undefined,
  };
  return { files, body, parts };
}

/** Reads files. */
interface Reading {
  /** Reads the files into a set of bags, and opens one of them unless `open` is null. */
  read(open: number | null): Promise<Read>;
  /** Ends what the program may read after its answer. */
  forget(): void;
}

/**
 * Returns what reads files. Its function `read` can be called again, because a program that
 * replaces a crashed one must read the same files. The program reads `parts` in pieces, so that they
 * need not fit in its memory beside their values, those of a deferred set after its answer.
 * `modelOf` returns the model whose input determines the shape of an instance.
 */
export async function reader(
  connection: Connection,
  source: BagSource,
  options: BagOptions,
  modelOf: (model: Model) => Resource,
): Promise<Reading> {
  const { files, body, parts } = await toRequest(source, options);
  const request = { files, ...body };
  const { model, signal, onProgress } = options;
  let watcher: RequestOptions = { cancel: signal, onProgress };
  const call = () => {
    const watched = { parts, lasting: true, ...watcher };
    watcher = {}; // the caller may have ended it when another program reads the files
    return watched;
  };
  const resource = model && modelOf(model);
  const send = (open: number | null) =>
    resource
      ? ask("readBags", [resource], (handle) => ({ ...request, model: handle, open }), call())
      : connection.request("readBags", { ...request, model: 0, open }, call());
  const forget = () => {
    for (const { part } of parts) connection.forget(part);
  };
  const read = async (open: number | null) => {
    let deferred = false;
    try {
      const answer = await send(open);
      deferred = answer.deferred;
      return answer;
    } finally {
      if (!deferred) forget();
    }
  };
  return { read, forget };
}

/** Returns one file as a source of bags. */
function filesOf(source: Bytes | FileLike | PixelFile): BagSource {
  const bare = Object.prototype.toString.call(source) !== "[object Object]";
  return bare ? (source as Bytes) : [source as FileLike | PixelFile];
}

/** Measures the patches of a picture. `resource` is that of the model, null for none. */
export async function survey(
  connection: Connection,
  source: Bytes | FileLike | PixelFile,
  options: BagOptions,
  resource: Resource | null,
): Promise<PictureCut> {
  const { files, body, parts } = await toRequest(filesOf(source), options);
  const { signal, onProgress } = options;
  const request = (model: number) => ({ file: files[0]!, ...body, model });
  const call = { parts, signal, onProgress };
  const { cut } = resource
    ? await ask("survey", [resource], request, call)
    : await connection.request("survey", request(0), call);
  return cut;
}

/** Returns how a table begins. `resource` is that of the model, null for none. */
export async function viewTable(
  connection: Connection,
  source: Bytes | FileLike,
  options: BagOptions,
  resource: Resource | null,
): Promise<TableView> {
  const { files, body, parts } = await toRequest(filesOf(source), options);
  const { read, instanceShape, limits } = body;
  const request = (model: number) => ({ file: files[0]!, read, instanceShape, limits, model });
  const call = { parts, signal: options.signal };
  const view = resource
    ? await ask("viewTable", [resource], request, call)
    : await connection.request("viewTable", request(0), call);
  return view;
}
