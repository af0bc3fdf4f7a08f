import { openedBag } from "./bag.js";
import { throwIfAborted } from "./cancel.js";
import type { Answer, Answers, Connection, RequestOptions } from "./connection.js";
import { BagscopeError } from "./error.js";
import { toJudge } from "./judgement.js";
import { known } from "./known.js";
import type { Bodies } from "./message.js";
import { OpenFile } from "./openfile.js";
import type { Opener, Pool } from "./pool.js";
import { fromExplained, toExplain } from "./report.js";
import { ask, Resource } from "./resource.js";
import type {
  AskOptions,
  Bag,
  CheckOptions,
  Checks,
  Curves,
  CurvesOptions,
  ExplainOptions,
  Groups,
  InsideMap,
  InsideOptions,
  Judged,
  JudgeOptions,
  MissedHere,
  MissedOptions,
  Model,
  Pairs,
  PairsOptions,
  Plan,
  PlanOptions,
  Prediction,
  PredictOptions,
  Profile,
  GroupsOptions,
  ProfileOptions,
  Ranking,
  Report,
  ScoreOptions,
  Sets,
  SetsOptions,
  Turn,
  WhatIfOptions,
} from "./types.js";
import { fromScores, pack, toAsk, type WhatIf } from "./whatif.js";

type Opened = Answer<"openModel">;

/**
 * An open model. The methods are documented at `Model`. Typed arrays of answers share memory with a
 * message; they are copied, so that callers may keep and change them.
 */
export class OpenModel extends OpenFile implements Model {
  private constructor(
    resource: Resource<Opened>,
    opener: Opener,
    private readonly file: Bodies["openModel"] | null, // null for several
    pool: Pool,
    opened: Opened,
  ) {
    super(resource, opener, pool, opened);
  }

  /**
   * Opens a model by a request. The request is kept: helpers, a program that replaces a crashed one,
   * and checks of maps open the same model.
   */
  static async open(
    connection: Connection,
    pool: Pool,
    file: Bodies["openModel"],
  ): Promise<OpenModel> {
    const opener: Opener = (connection) => connection.request("openModel", file);
    const resource = new Resource(connection, "model", () => opener(connection));
    return new OpenModel(resource, opener, file, pool, await resource.open());
  }

  /** Opens several models as one, which stays open if they are closed. */
  static async together(
    connection: Connection,
    pool: Pool,
    models: readonly OpenModel[],
    mean: string,
  ): Promise<OpenModel> {
    for (const { resource } of models) resource.check();
    const opener: Opener = async (connection) => {
      const uses = await Promise.all(models.map(({ resource }) => resource.use()));
      try {
        const handles = uses.map(({ handle }) => handle);
        return await connection.request("openEnsemble", { models: handles, mean });
      } finally {
        for (const use of uses) use.release();
      }
    };
    const resource = new Resource(connection, "model", () => opener(connection));
    return new OpenModel(resource, opener, null, pool, await resource.open());
  }

  async predict(bag: Bag, options: PredictOptions = {}): Promise<Prediction> {
    const { sharing, share } = this.shared();
    const { without = [], output = "", onProgress } = known("PredictOptions", options);
    const body = (model: number, bag: number) => ({
      ...{ model, bag, without: [...without], output },
      ...{ watch: onProgress !== undefined, ...sharing },
    });
    return fromPredicted(await this.ask("predict", bag, body, { ...options, share }));
  }

  async explain(bag: Bag, options: ExplainOptions = {}): Promise<Report> {
    const { sharing, share } = this.shared();
    const { onPrediction, onPlan, onNote } = known("ExplainOptions", options);
    const body = (model: number, bag: number) => ({
      ...toExplain(model, bag, options),
      ...sharing,
    });
    const events = {
      predicted: (answer: Answer<"predict">) => onPrediction?.(fromPredicted(answer)),
      planned: (plan: Plan) => onPlan?.(plan),
      noted: ({ notes }: Bodies["noted"]) => notes.forEach((note) => onNote?.(note)),
    };
    return fromExplained(await this.ask("explain", bag, body, { ...options, events, share }));
  }

  async judge(
    bag: Bag,
    rankings: Report | readonly Ranking[],
    options: JudgeOptions = {},
  ): Promise<Judged> {
    const { sharing, share } = this.shared();
    known("JudgeOptions", options);
    const body = (model: number, handle: number) => ({
      ...toJudge(model, handle, bag, rankings ?? [], options),
      ...sharing,
    });
    return this.ask("judge", bag, body, { ...options, share });
  }

  async plan(bag: Bag, options: PlanOptions = {}): Promise<Plan> {
    const without = [...(known("PlanOptions", options).without ?? [])];
    return this.ask("plan", bag, (model, bag) => ({ model, bag, without }), options);
  }

  async sets(bag: Bag, options: SetsOptions = {}): Promise<Sets> {
    return this.changed("sets", bag, known("SetsOptions", options), { options });
  }

  async curves(bag: Bag, options: CurvesOptions = {}): Promise<Curves> {
    const { scores } = known("CurvesOptions", options);
    const rest = { scores: scores ? Float64Array.from(scores) : null };
    return this.changed("curves", bag, options, rest);
  }

  async missed(bag: Bag, instance: number, options: MissedOptions = {}): Promise<MissedHere> {
    const { score = 0, logOdds = false } = known("MissedOptions", options);
    return this.changed("loss", bag, options, { instance, score, logOdds });
  }

  async pairs(bag: Bag, options: PairsOptions = {}): Promise<Pairs> {
    return this.changed("pairs", bag, known("PairsOptions", options), { options });
  }

  async whatIf(bag: Bag, options: WhatIfOptions = {}): Promise<Turn> {
    const { members } = known("WhatIfOptions", options);
    const rest = { members: members ? [...members] : null, options };
    return this.changed("turn", bag, options, rest);
  }

  async inside(bag: Bag, instance: number, options: InsideOptions = {}): Promise<InsideMap> {
    const chosen = options.strongest === undefined ? { instance } : {};
    const rest = { options: { ...known("InsideOptions", options), ...chosen } };
    return this.changed("inside", bag, options, rest);
  }

  async check(bag: Bag, options: CheckOptions = {}): Promise<Checks> {
    const rest = { from: this.file, options };
    return this.changed("check", bag, known("CheckOptions", options), rest);
  }

  async groups(bag: Bag, options: GroupsOptions = {}): Promise<Groups> {
    return this.changed("groups", bag, known("GroupsOptions", options), { options });
  }

  async profile(bag: Bag, options: ProfileOptions = {}): Promise<Profile> {
    return this.changed("profile", bag, known("ProfileOptions", options), { options });
  }

  async score(
    bag: Bag,
    coalitions: readonly (readonly number[])[],
    options: ScoreOptions = {},
  ): Promise<number[][]> {
    const packed = pack(coalitions, bag.instances);
    const { output = "" } = known("ScoreOptions", options);
    const body = (model: number, bag: number) => ({ model, bag, output, ...packed });
    return fromScores(await this.ask("scoreCoalitions", bag, body, options), coalitions.length);
  }

  /** Sends a what-if with the options of all, and the rest of its request. */
  private changed<K extends WhatIf>(
    kind: K,
    bag: Bag,
    options: AskOptions,
    rest: Omit<Bodies[K], "ask">,
  ): Promise<Answer<K>> {
    const { sharing, share } = this.shared();
    const body = (model: number, bag: number) =>
      ({ ask: toAsk({ model, bag, ...sharing }, options), ...rest }) as Bodies[K];
    return this.ask(kind, bag, body, { ...options, share });
  }

  /**
   * Sends a request about this model and a bag. It throws before anything is sent if one of them is
   * closed or belongs to another engine, or if `signal` was aborted.
   */
  private async ask<K extends keyof Answers>(
    kind: K,
    bag: Bag,
    body: (model: number, bag: number) => Bodies[K],
    { signal, onProgress, events, share }: RequestOptions,
  ): Promise<Answer<K>> {
    const { resource } = openedBag(bag, this.resource.connection);
    this.resource.check();
    resource.check();
    throwIfAborted(signal);
    return ask(kind, [this.resource, resource], body as (...handles: number[]) => Bodies[K], {
      signal,
      onProgress,
      events,
      share,
    });
  }
}

function fromPredicted({ raw, read, folds }: Answer<"predict">): Prediction {
  const { outputs, classes, notes } = raw;
  return {
    prediction: [...read.values],
    units: read.units,
    output: read.output,
    scores: [...raw.scores],
    scale: raw.scale,
    classes,
    outputs,
    curves: raw.curves.map((c) => ({ ...c, edges: [...c.edges], survival: [...c.survival] })),
    folds: folds.map((f) => ({ ...f, prediction: [...f.prediction] })),
    notes,
  };
}

/** Returns the implementation of a model of one engine, as `openedBag` does for a bag. */
export function openedModel(model: Model, connection: Connection): OpenModel {
  if (!(model instanceof OpenModel) || model.resource.connection !== connection)
    throw new BagscopeError("setting", "the model was not opened by this engine");
  return model;
}
