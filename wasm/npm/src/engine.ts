import { OpenBagSet, openedBag, reader, survey, viewTable } from "./bag.js";
import { throwIfAborted, unlessAborted } from "./cancel.js";
import type { Starter } from "./channel.js";
import { Closable } from "./closable.js";
import type { ByteArray } from "./codec.js";
import { type Answer, Connection } from "./connection.js";
import type { DecoderSource } from "./decoder.js";
import { OpenEncoder } from "./encoder.js";
import { known } from "./known.js";
import { openedModel, OpenModel } from "./model.js";
import { given } from "./limits.js";
import { Pool, type PoolOptions } from "./pool.js";
import { toDICOM, toDraw, toGeoJSON } from "./report.js";
import { ask, type Resource } from "./resource.js";
import { paintScene } from "./scene.js";
import { openedSlide, OpenSlide } from "./slide.js";
import { namedBytes } from "./slidepatches.js";
import { nameOf, toBytes, toExternal } from "./source.js";
import type {
  Bag,
  BagOptions,
  BagSet,
  BagSource,
  Bytes,
  DataSettings,
  DrawOptions,
  Encoder,
  Engine,
  FileLike,
  DICOMOptions,
  GeoJSONOptions,
  HeatmapOptions,
  MethodInfo,
  MetricInfo,
  Model,
  EnsembleOptions,
  OpenOptions,
  Picture,
  PictureCut,
  PixelFile,
  Report,
  SlideFileKind,
  SlideImage,
  SlideOptions,
  TableView,
  TilesOptions,
} from "./types.js";

/** On the wire, 0 means the engine's default. */
const defaultLimits = {
  modelBytes: 0,
  elements: 0,
  runBytes: 0,
  nodes: 0,
  depth: 0,
  loopTrips: 0,
  work: 0,
};

/**
 * An engine: the connection to its program, and the pool of helpers that share its work. The
 * methods are documented at `Engine`. Lists and options are those of the program's first answer, so
 * that they are the same as in Go.
 */
export class OpenEngine extends Closable implements Engine {
  readonly version: string;
  readonly methods: readonly MethodInfo[];
  readonly settings: readonly DataSettings[];
  readonly metrics: readonly MetricInfo[];

  private constructor(
    private readonly connection: Connection,
    private readonly pool: Pool,
    private readonly decoder: DecoderSource,
    welcome: Answer<"hello">,
  ) {
    super();
    this.version = welcome.version;
    this.methods = welcome.methods;
    this.settings = welcome.settings.map(
      ({ name, title, options }) =>
        ({
          name,
          title,
          ...Object.fromEntries(options.map((o) => [o.name, o.value])),
        }) as DataSettings,
    );
    this.metrics = welcome.metrics as MetricInfo[];
  }

  /**
   * Starts the engine's program, and later its helpers: by default programs of the same kind. With
   * `pool.early` the helpers' scripts are fetched now, because a page may forbid requests later.
   * `decoder` has the decoder of JPEG 2000.
   */
  static async start(
    start: Starter,
    pool: PoolOptions,
    decoder: DecoderSource,
    helper = start,
  ): Promise<Engine> {
    const helpers = new Pool(helper, pool);
    const connection = new Connection(start);
    try {
      const [welcome] = await Promise.all([
        connection.request("hello", {}),
        pool.early && helpers.load(),
      ]);
      return new OpenEngine(connection, helpers, decoder, welcome);
    } catch (cause) {
      connection.close();
      helpers.close();
      throw cause;
    }
  }

  async open(model: Bytes, options: OpenOptions = {}): Promise<Model> {
    return unlessAborted(known("OpenOptions", options).signal, async () => {
      const { plain = false, via = "" } = options;
      const target = await targetOf(options);
      const request = { ...(await fileOf(model, options)), plain, via, target };
      return OpenModel.open(this.connection, this.pool, request);
    });
  }

  async ensemble(models: readonly Model[], options: EnsembleOptions = {}): Promise<Model> {
    const { mean = "", signal } = known("EnsembleOptions", options);
    const opened = models.map((model) => openedModel(model, this.connection));
    return unlessAborted(signal, () =>
      OpenModel.together(this.connection, this.pool, opened, mean),
    );
  }

  async encoder(model: Bytes, options: OpenOptions = {}): Promise<Encoder> {
    return unlessAborted(known("OpenOptions", options).signal, async () => {
      const request = await fileOf(model, options);
      return OpenEncoder.open(this.connection, this.pool, (connection) =>
        connection.request("openEncoder", request),
      );
    });
  }

  async bag(source: BagSource, options: BagOptions = {}): Promise<Bag> {
    const { index = 0, signal } = known("BagOptions", options);
    return unlessAborted(signal, async () => {
      const set = await this.set(source, { ...options, index });
      try {
        return await set.bag(index); // it stays open after the set is closed
      } finally {
        set.close();
      }
    });
  }

  async bags(source: BagSource, options: BagOptions = {}): Promise<BagSet> {
    return unlessAborted(known("BagOptions", options).signal, () => this.set(source, options));
  }

  async survey(file: Bytes | FileLike | PixelFile, options: BagOptions = {}): Promise<PictureCut> {
    const { model } = known("BagOptions", options);
    const resource = model ? openedModel(model, this.connection).resource : null;
    return survey(this.connection, file, options, resource);
  }

  async table(file: Bytes | FileLike, options: BagOptions = {}): Promise<TableView> {
    const { model } = known("BagOptions", options);
    const resource = model ? openedModel(model, this.connection).resource : null;
    return viewTable(this.connection, file, options, resource);
  }

  async slide(
    source: Bytes | readonly FileLike[],
    options: SlideOptions = {},
  ): Promise<SlideImage> {
    return unlessAborted(known("SlideOptions", options).signal, () =>
      OpenSlide.open(this.connection, source, options),
    );
  }

  async draw(bag: Bag, report: Report | null, options: DrawOptions = {}): Promise<Picture> {
    const { resource } = openedBag(bag, this.connection);
    resource.check();
    known("DrawOptions", options);
    const body = (handle: number) => toDraw(handle, report, options);
    const scene = await ask("draw", [resource], body);
    const { width, height, cells, names } = scene;
    return {
      ...{ width, height, cells, names },
      paint: (canvas, part = { x: 0, y: 0, width, height }) => paintScene(scene, canvas, part),
      png: async () => (await ask("writePNG", [resource], (h) => ({ draw: body(h) }))).bytes,
    };
  }

  async geojson(bag: Bag, report: Report, options: GeoJSONOptions = {}): Promise<ByteArray> {
    const { resource } = openedBag(bag, this.connection);
    resource.check();
    const { instanceNames = [], ...rest } = known("GeoJSONOptions", options);
    const request = { ...toGeoJSON(report, rest), instanceNames: [...instanceNames] };
    return (await ask("writeGeoJSON", [resource], (handle) => ({ bag: handle, ...request }))).bytes;
  }

  async dicom(bag: Bag, report: Report, options: DICOMOptions = {}): Promise<ByteArray> {
    const { resource } = openedBag(bag, this.connection);
    resource.check();
    const request = toDICOM(report, known("DICOMOptions", options));
    return (await ask("writeDICOM", [resource], (handle) => ({ bag: handle, ...request }))).bytes;
  }

  async heatmap(bag: Bag, report: Report, options: HeatmapOptions = {}): Promise<ByteArray> {
    const { resource } = openedBag(bag, this.connection);
    resource.check();
    const { form = "ome.tif", name = bag.name, onProgress } = known("HeatmapOptions", options);
    const body = (handle: number) => ({
      draw: toDraw(handle, report, options),
      ...{ form, name, watch: onProgress !== undefined },
    });
    return (await ask("writeHeatmap", [resource], body, options)).bytes;
  }

  async tiles(bag: Bag, report: Report, options: TilesOptions = {}): Promise<ByteArray> {
    const { slide, number = 8, signal, ...look } = known("TilesOptions", options);
    const resources = [openedBag(bag, this.connection).resource as Resource];
    if (slide) resources.push(openedSlide(slide, this.connection).resource);
    for (const resource of resources) resource.check();
    const body = (handle: number, on = 0) => ({
      draw: toDraw(handle, report, look),
      ...{ slide: on, number },
    });
    return (await ask("writeStrongest", resources, body, { signal })).bytes;
  }

  async recognise(file: Bytes, slide?: SlideImage): Promise<SlideFileKind> {
    const { connection } = this;
    const request = { slide: 0, file: await namedBytes(file) };
    const { kind } = slide
      ? await ask("recogniseFile", [openedSlide(slide, connection).resource], (handle) => ({
          ...request,
          slide: handle,
        }))
      : await connection.request("recogniseFile", request);
    return kind as SlideFileKind;
  }

  async fetchDecoder(): Promise<void> {
    await this.decoder();
  }

  close(): void {
    this.connection.close();
    this.pool.close();
  }

  /** Reads files for the input of `options.model`, if there is one. */
  private async set(source: BagSource, options: BagOptions): Promise<OpenBagSet> {
    const { connection } = this;
    const modelOf = (model: Model) => openedModel(model, connection).resource;
    const reading = await reader(connection, source, options, modelOf);
    return OpenBagSet.open(connection, reading, options.index ?? null);
  }
}

/** Returns what the vectors of a model are compared with, or null. */
async function targetOf({ target, likeness: by }: OpenOptions) {
  if (!target) return null;
  const { name } = target;
  const likeness = by ?? "";
  if ("vector" in target)
    return { name, likeness, bytes: new Uint8Array(), vector: Float64Array.from(target.vector) };
  const bytes = await toBytes("data" in target ? target.data : target);
  return { name, likeness, bytes, vector: new Float64Array() };
}

/** Returns the fields of a request about the file of a model. */
async function fileOf(model: Bytes, options: OpenOptions) {
  const { card = "", limits, signal } = options;
  const file = {
    name: options.name ?? nameOf(model),
    card: typeof card === "string" ? card : JSON.stringify(card),
    limits: limits ? { ...defaultLimits, ...given(known("ModelLimits", limits)) } : null,
    bytes: await toBytes(model),
    external: await toExternal(options.external ?? []),
  };
  throwIfAborted(signal);
  return file;
}
