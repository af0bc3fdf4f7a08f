import { OpenBag } from "./bag.js";
import { throwIfAborted, unlessAborted } from "./cancel.js";
import { Closable } from "./closable.js";
import type { ByteArray } from "./codec.js";
import type { Answer, Connection } from "./connection.js";
import { openedEncoder, type OpenEncoder } from "./encoder.js";
import { BagscopeError } from "./error.js";
import { known } from "./known.js";
import type { Bodies } from "./message.js";
import { openedModel, type OpenModel } from "./model.js";
import { ask, Resource } from "./resource.js";
import { nameOf, toBytes } from "./source.js";
import type {
  Bag,
  Bytes,
  CallOptions,
  EncodeOptions,
  LayOptions,
  SlideGrid,
  SlidePatches,
} from "./types.js";

type Opened = Answer<"layPatches">;

export class OpenPatches extends Closable implements SlidePatches {
  readonly grid: SlideGrid;
  readonly stages: readonly number[];
  readonly order: readonly number[];
  readonly method: string;
  readonly threshold: number;
  readonly share: number;
  encoded: readonly number[];
  shape: readonly number[];
  notes: readonly string[];

  private constructor(
    readonly resource: Resource<Opened>,
    private readonly by: OpenEncoder | OpenModel | null,
    laid: Opened,
    from: OpenPatches | null,
  ) {
    super();
    this.grid = laid.grid;
    this.stages = laid.stages;
    this.order = laid.order;
    this.method = laid.method;
    this.threshold = laid.threshold;
    this.share = laid.share;
    this.encoded = laid.encoded;
    this.shape = from && laid.encoded.length > 0 ? from.shape : [];
    this.notes = laid.notes;
  }

  /** Lays patches on the slide of a resource; `grid` describes them by the slide's handle. */
  static async open(
    slide: Resource,
    grid: (slide: number) => Bodies["placeGrid"],
    options: LayOptions,
  ): Promise<OpenPatches> {
    const { connection } = slide;
    const encoder = options.encoder ? openedEncoder(options.encoder, connection) : null;
    const model = options.model ? openedModel(options.model, connection) : null;
    const by = encoder ?? model;
    const excluded = [options.exclude ?? []].flat() as Bytes[];
    const [tissue, places, ...exclude] = await Promise.all([
      options.tissueFile ? namedBytes(options.tissueFile) : null,
      options.places ? namedBytes(options.places) : null,
      ...excluded.map(namedBytes),
    ]);
    const from = options.from ? openedPatches(options.from, connection) : null;
    const lay = (from: Resource | null) => {
      const list = [slide, by?.resource ?? null, from].filter((r) => r !== null);
      return ask("layPatches", list, (handle, ...others) => ({
        grid: grid(handle!),
        encoder: encoder ? others[0]! : 0,
        model: model && !encoder ? others[0]! : 0,
        from: from ? others.at(-1)! : 0,
        ...{ tissue: tissue ?? null, places: places ?? null },
        exclude: exclude.filter((file) => file !== null),
      }));
    };
    let first = from?.resource ?? null;
    const resource: Resource<Opened> = new Resource(connection, "grid of patches", () => {
      const before = first;
      first = null; // another program does not have its features
      return lay(before);
    });
    return new OpenPatches(resource, by, await resource.open(), from);
  }

  async encode(options: EncodeOptions = {}): Promise<void> {
    this.resource.check();
    const { until, signal, onProgress } = known("EncodeOptions", options);
    throwIfAborted(signal);
    const { sharing, share } = this.by?.shared() ?? {
      sharing: { helpers: 0, eager: false },
      share: undefined,
    };
    const body = (patches: number) => ({
      patches,
      until: until ?? this.order.length,
      watch: onProgress !== undefined,
      ...sharing,
    });
    try {
      this.put(await ask("encodePatches", [this.resource], body, { signal, onProgress, share }));
    } catch (cause) {
      if (!(cause instanceof BagscopeError && cause.details.crashed)) await this.refresh();
      throw cause;
    }
  }

  async resume(file: Bytes, name = nameOf(file)): Promise<void> {
    this.resource.check();
    const bytes = await toBytes(file);
    this.put(
      await ask("continuePatches", [this.resource], (patches) => ({ patches, name, bytes })),
    );
  }

  async bag(options: CallOptions = {}): Promise<Bag> {
    const { resource } = this;
    resource.check();
    const { signal } = known("CallOptions", options);
    return unlessAborted(signal, () =>
      OpenBag.open(resource.connection, () =>
        ask("openPatches", [resource], (patches) => ({ patches })),
      ),
    );
  }

  async file(): Promise<ByteArray> {
    this.resource.check();
    return (await ask("writeFeatures", [this.resource], (patches) => ({ patches }))).bytes;
  }

  close(): void {
    this.resource.close();
  }

  /** Asks which patches are encoded, after the program has ended a call that failed. */
  private async refresh(): Promise<void> {
    const nothing = { until: 0, watch: false, helpers: 0, eager: false };
    this.put(await ask("encodePatches", [this.resource], (patches) => ({ patches, ...nothing })));
  }

  private put({ encoded, shape, notes }: Answer<"encodePatches">): void {
    this.encoded = encoded;
    this.shape = shape;
    this.notes = notes;
  }
}

function openedPatches(patches: SlidePatches, connection: Connection): OpenPatches {
  if (!(patches instanceof OpenPatches) || patches.resource.connection !== connection)
    throw new BagscopeError("setting", "the patches were not laid by this engine");
  return patches;
}

/** The name and the bytes of a file. */
export async function namedBytes(file: Bytes) {
  return { name: nameOf(file) || "file", bytes: await toBytes(file) };
}
