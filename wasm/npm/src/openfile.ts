import { Closable } from "./closable.js";
import type { Answer, Connection, Share } from "./connection.js";
import type { Opener, Pool } from "./pool.js";
import { Resource } from "./resource.js";
import type { ModelInfo } from "./types.js";

type Opened = Answer<"openModel">;

/** A model or an encoder that is open, and the same in helpers that share its work. */
export abstract class OpenFile extends Closable {
  readonly info: ModelInfo;

  /** The same file in helpers, opened by the first request that shares its work. */
  private readonly twins = new Map<Connection, Resource>();

  protected constructor(
    readonly resource: Resource<Opened>,
    private readonly opener: Opener,
    private readonly pool: Pool,
    opened: Opened,
  ) {
    super();
    this.info = infoOf(opened);
  }

  /** The fields of a request about helpers, and the runner of its shared tasks. */
  shared(): { sharing: { helpers: number; eager: boolean }; share: Share | undefined } {
    const { helpers, eager } = this.pool;
    return {
      sharing: { helpers, eager },
      share: helpers > 0 ? this.pool.share(this.twins, this.opener) : undefined,
    };
  }

  close(): void {
    this.resource.close();
    for (const twin of this.twins.values()) twin.close();
  }
}

/** Returns the description of a model in lists of its own. */
function infoOf({ info, patch, preprocess: p, encoder, columns }: Opened): ModelInfo {
  const { size = 0, stride = 0, background = 0, microns = 0 } = patch ?? {};
  return {
    ...info,
    // An infinite threshold of the card keeps every patch, as 0 does among options.
    patch: patch && { size, stride, background: isFinite(background) ? background : 0 },
    preprocess: p && { scale: p.scale, mean: [...p.mean], std: [...p.std] },
    microns,
    encoder,
    columns,
  };
}
