import type { Connection } from "./connection.js";
import { BagscopeError } from "./error.js";
import { OpenFile } from "./openfile.js";
import type { Opener, Pool } from "./pool.js";
import { Resource } from "./resource.js";
import type { Encoder } from "./types.js";

export class OpenEncoder extends OpenFile implements Encoder {
  /** Opens an encoder by a function that also opens it in helpers and in a program started again. */
  static async open(connection: Connection, pool: Pool, opener: Opener): Promise<OpenEncoder> {
    const resource = new Resource(connection, "encoder", () => opener(connection));
    return new OpenEncoder(resource, opener, pool, await resource.open());
  }
}

/** Returns the implementation of an encoder of one engine; throws if another engine opened it. */
export function openedEncoder(encoder: Encoder, connection: Connection): OpenEncoder {
  if (!(encoder instanceof OpenEncoder) || encoder.resource.connection !== connection)
    throw new BagscopeError("setting", "the encoder was not opened by this engine");
  return encoder;
}
