import { Closable } from "./closable.js";
import type { Answer, Connection, Share } from "./connection.js";
import { BagscopeError } from "./error.js";
import { infoOf } from "./model.js";
import type { Opener, Pool } from "./pool.js";
import { Resource } from "./resource.js";
import type { Encoder, ModelInfo } from "./types.js";

type Opened = Answer<"openEncoder">;

/** An open encoder, and the same encoder in helpers that share its work. */
export class OpenEncoder extends Closable implements Encoder {
  readonly info: ModelInfo;
  private readonly twins = new Map<Connection, Resource>();

  private constructor(
    readonly resource: Resource<Opened>,
    private readonly opener: Opener,
    private readonly pool: Pool,
    opened: Opened,
  ) {
    super();
    this.info = infoOf(opened);
  }

  /** Opens an encoder by a function that also opens it in helpers and in a program started again. */
  static async open(connection: Connection, pool: Pool, opener: Opener): Promise<OpenEncoder> {
    const resource = new Resource(connection, "encoder", () => opener(connection));
    return new OpenEncoder(resource, opener, pool, await resource.open());
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

/** Returns the implementation of an encoder of one engine; throws if another engine opened it. */
export function openedEncoder(encoder: Encoder, connection: Connection): OpenEncoder {
  if (!(encoder instanceof OpenEncoder) || encoder.resource.connection !== connection)
    throw new BagscopeError("setting", "the encoder was not opened by this engine");
  return encoder;
}
