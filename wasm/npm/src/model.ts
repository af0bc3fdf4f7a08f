import { OpenBag } from "./bag.js";
import { type Answer, type Connection, type RequestOptions, throwIfAborted } from "./connection.js";
import { BagscopeError } from "./error.js";
import { fromExplained, toExplain } from "./report.js";
import { handles, Resource } from "./resource.js";
import type {
  Bag,
  ExplainOptions,
  Model,
  ModelInfo,
  Prediction,
  PredictOptions,
  Report,
  Scale,
  TensorInfo,
} from "./types.js";

type Opened = Answer<"openModel">;

export class OpenModel implements Model {
  readonly info: ModelInfo;

  private constructor(
    readonly resource: Resource<Opened>,
    { info }: Opened,
  ) {
    const inputs: TensorInfo[] = info.inputs;
    this.info = { ...info, inputs, scale: info.scale as Scale };
  }

  static async open(connection: Connection, open: () => Promise<Opened>): Promise<OpenModel> {
    const resource = new Resource(connection, "model", open);
    return new OpenModel(resource, await resource.open());
  }

  async predict(bag: Bag, options: PredictOptions = {}): Promise<Prediction> {
    const { model, bag: handle } = await this.with(bag, options);
    const answer = await this.resource.connection.request(
      "predict",
      { model, bag: handle, without: [...(options.without ?? [])], output: options.output ?? "" },
      options,
    );
    return {
      prediction: [...answer.prediction],
      output: answer.output as Prediction["output"],
      scores: [...answer.scores],
      scale: answer.scale as Scale,
      classes: answer.classes,
      outputs: answer.outputs,
      notes: answer.notes,
    };
  }

  async explain(bag: Bag, options: ExplainOptions): Promise<Report> {
    const { model, bag: handle } = await this.with(bag, options);
    const request = toExplain(model, handle, options);
    return fromExplained(await this.resource.connection.request("explain", request, options));
  }

  close(): void {
    this.resource.close();
  }

  private async with(bag: Bag, { signal }: RequestOptions): Promise<{ model: number; bag: number }> {
    throwIfAborted(signal);
    const [model, handle] = (await handles(this.resource, opened(bag, this.resource.connection).resource)) as [
      number,
      number,
    ];
    return { model, bag: handle };
  }
}

/** The bag as this package made it, for one engine. */
export function opened(bag: Bag, connection: Connection): OpenBag {
  if (!(bag instanceof OpenBag) || bag.resource.connection !== connection)
    throw new BagscopeError("setting", "the bag was not opened by this engine");
  return bag;
}

export function openedModel(model: Model, connection: Connection): OpenModel {
  if (!(model instanceof OpenModel) || model.resource.connection !== connection)
    throw new BagscopeError("setting", "the model was not opened by this engine");
  return model;
}
