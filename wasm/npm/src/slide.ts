import { unlessAborted } from "./cancel.js";
import { Closable } from "./closable.js";
import type { ByteArray } from "./codec.js";
import type { FilePart } from "./channel.js";
import type { Answer, Connection } from "./connection.js";
import { BagscopeError } from "./error.js";
import { known } from "./known.js";
import { ask, Resource } from "./resource.js";
import { OpenPatches } from "./slidepatches.js";
import { content, nameOf, toPart } from "./source.js";
import type {
  Bytes,
  CallOptions,
  FileLike,
  Fixed,
  GridOptions,
  LayOptions,
  MaskOptions,
  Pixels,
  SlideGrid,
  SlideImage,
  SlideInfo,
  SlideOptions,
  SlideOverview,
  SlidePatches,
  TissueMask,
  TissueOptions,
} from "./types.js";

type Opened = Answer<"openSlide">;

export interface OpenSlide extends Fixed<SlideInfo> {}

export class OpenSlide extends Closable implements SlideImage {
  private constructor(
    readonly resource: Resource<Opened>,
    private readonly parts: readonly number[],
    { info }: Opened,
  ) {
    super();
    Object.assign(this, info);
  }

  /** The files are kept for the program until the slide is closed. */
  static async open(
    connection: Connection,
    source: Bytes | readonly FileLike[],
    { name, tileNames }: SlideOptions,
  ): Promise<OpenSlide> {
    const list = Array.isArray(source)
      ? (source as readonly FileLike[])
      : [{ name: name ?? nameOf(source as Bytes), data: source } as FileLike];
    const parts: FilePart[] = [];
    const files = list.map((file) => {
      const bytes = "data" in file ? file.data : file;
      const kept = toPart(bytes instanceof Blob ? bytes : new Blob([content(bytes) as BlobPart]));
      parts.push(kept);
      return { name: nameOf(file), part: kept.part, size: kept.file.size };
    });
    const numbers = parts.map(({ part }) => part);
    const request = { name: name ?? files[0]?.name ?? "", files, tileNames: tileNames ?? "" };
    const resource = new Resource(connection, "slide", () =>
      connection.request("openSlide", request, { parts, lasting: true }),
    );
    try {
      return new OpenSlide(resource, numbers, await resource.open());
    } catch (cause) {
      for (const part of numbers) connection.forget(part);
      throw cause;
    }
  }

  async region(
    level: number,
    x: number,
    y: number,
    width: number,
    height: number,
    options: CallOptions = {},
  ): Promise<Pixels> {
    this.resource.check();
    const { signal } = known("CallOptions", options);
    const place = { level, x, y, width, height };
    const read = await ask("readRegion", [this.resource], (slide) => ({ slide, ...place }), {
      signal,
    });
    return { width, height, rgba: clamped(read.rgba) };
  }

  async overview(side: number, options: CallOptions = {}): Promise<SlideOverview> {
    this.resource.check();
    const { signal } = known("CallOptions", options);
    const read = await ask("readOverview", [this.resource], (slide) => ({ slide, side }), {
      signal,
    });
    const { width, height, scale } = read;
    return { width, height, scale, rgba: clamped(read.rgba) };
  }

  async tissue(options: MaskOptions = {}): Promise<TissueMask> {
    this.resource.check();
    const { signal } = known("MaskOptions", options);
    return ask("findTissue", [this.resource], (slide) => tissueOf(slide, options), { signal });
  }

  async grid(options: GridOptions): Promise<SlideGrid> {
    this.resource.check();
    const { signal } = known("GridOptions", options);
    return ask("placeGrid", [this.resource], (slide) => gridOf(slide, options), { signal });
  }

  async patches(options: LayOptions): Promise<SlidePatches> {
    this.resource.check();
    const { signal } = known("LayOptions", options);
    return unlessAborted(signal, () =>
      OpenPatches.open(this.resource, (slide) => gridOf(slide, options), options),
    );
  }

  close(): void {
    this.resource.close();
    for (const part of this.parts) this.resource.connection.forget(part);
  }
}

/** Returns the implementation of a slide of one engine; throws if another engine opened the slide. */
export function openedSlide(slide: SlideImage, connection: Connection): OpenSlide {
  if (!(slide instanceof OpenSlide) || slide.resource.connection !== connection)
    throw new BagscopeError("setting", "the slide was not opened by this engine");
  return slide;
}

function gridOf(slide: number, options: GridOptions) {
  const { patchSize, microns = 0, overlap = 0, minTissue = 0, tissue = {} } = options;
  return {
    slide,
    tissue: tissue && tissueOf(slide, known("TissueOptions", tissue)),
    ...{ patchSize, microns, overlap, minTissue },
  };
}

/** On the wire, 0 means the engine's default. */
function tissueOf(slide: number, o: TissueOptions) {
  return {
    slide,
    side: o.side ?? 0,
    threshold: o.threshold ?? 0,
    smallest: o.smallest ?? 0,
  };
}

function clamped(rgba: ByteArray): Uint8ClampedArray<ArrayBuffer> {
  return new Uint8ClampedArray(rgba.buffer, rgba.byteOffset, rgba.length);
}
