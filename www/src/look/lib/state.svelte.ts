// The state of the page in one place. Components read it; only the actions write it.
import type {
  Bag,
  BagSet,
  DataSettings,
  Engine,
  Explanation,
  FileLike,
  Judged,
  MethodInfo,
  Model,
  Picture,
  PatchOptions,
  Prediction,
  Report,
  Trust,
} from 'bagscope';
import type { Place } from '../place/place';
import type { Survey } from '../read/cut';
import type { Row } from './batch';
import { magnitude, reading, type Reading } from './evidence';
import { fieldsFor } from './fields';
import type { Link } from './hash';
import type { Prepared } from './prepare';

/** What went wrong, in words, with what the user still has. */
export interface Problem {
  title: string;
  text: string;
  /** Offers to try again. */
  retry?: boolean;
  /** It came from asking the model, so that the next answer makes it moot. */
  asking?: boolean;
}

/** Files as the user gave them, kept to be read again with another card or cut. */
export interface ModelSource {
  name: string;
  bytes: Uint8Array;
  card?: string;
  /** The card as it was given, where `card` says more. */
  ownCard?: string;
  /** What was dropped together, among which may be files that the model keeps tensors in. */
  files?: readonly File[];
  /** Those of them that it does keep tensors in, by path below its folder. */
  external?: Record<string, File>;
}
export interface BagSource {
  name: string;
  files: readonly FileLike[];
  patch?: PatchOptions;
  /** The engine reads the files as they are, and nothing has to look at them before. */
  ready?: boolean;
}

/** What the user asked for, as texts of the form; an empty text leaves the engine's default in force. */
export interface Choice {
  method: string;
  settings: string;
  options: Record<string, string>;
  output: string;
  seed: string;
}

/** A grid that is looked at before a picture is cut by it. */
export interface Draft {
  size: number;
  stride: number;
  background: number;
  /** How bright its patches are; null until that is measured. */
  survey: Survey | null;
  /** What is wrong with it, in words. */
  fault: string;
}

/** What is being opened, by the names of the files; '' for the half that stays as it is. */
export interface Opening {
  model: string;
  bag: string;
}

export const ALL_METHODS = 'all';
/** What the page explains with where nothing is chosen. */
export const USUAL_METHOD = 'consensus';
const FEW_CLASSES = 6;

/**
 * The model and the bag that are open, and what is known of them. Only actions use it: while other files are being opened,
 * the page shows nothing of these, and Studio has null in their place.
 */
class Held {
  model = $state.raw<Model | null>(null);
  set = $state.raw<BagSet | null>(null);
  /** What became of its files before the engine read them. */
  prepared = $state.raw<Prepared | null>(null);
  bag = $state.raw<Bag | null>(null);
  /** Where the instances of the open bag lie, or null. */
  place = $state.raw<Place | null>(null);
  /** Why a picture that came with the bag is not drawn beneath it; '' otherwise. */
  unplaced = $state('');
  /** Instances taken out, ascending. */
  out = $state.raw<readonly number[]>([]);
  whole = $state.raw<Prediction | null>(null);
  rest = $state.raw<{ prediction: Prediction; out: readonly number[] } | null>(null);
  report = $state.raw<Report | null>(null);
  batch = $state.raw<{ rows: readonly Row[]; total: number; running: boolean } | null>(null);

  /** How far a report can be trusted. */
  trusted = $state.raw<{ report: Report; trust: readonly Trust[] } | null>(null);
  /** Ends the run over many bags. */
  batchRun: AbortController | null = null;

  /** Removes what is known of the model and the bag. */
  forgetAnswers(): void {
    [this.whole, this.rest, this.report] = [null, null, null];
  }
}

export const held = new Held();

const NONE: readonly number[] = [];

class Studio {
  phase = $state<'loading' | 'ready' | 'stopped'>('loading');
  /** Whether the stored explanation of the example is shown until the engine can make its own. */
  poster = $state(false);
  /** The key of the example's network; '' is the one that the page opens by itself. */
  network = $state('');
  engine = $state.raw<Engine | null>(null);
  methods = $state.raw<readonly MethodInfo[]>([]);
  dataSettings = $state.raw<readonly DataSettings[]>([]);

  modelSource = $state.raw<ModelSource | null>(null);
  bagSource = $state.raw<BagSource | null>(null);
  index = $state(0);

  /** What is being opened, in the order in which it was asked for. */
  openings = $state.raw<readonly Opening[]>([]);
  /** The same in one; null where nothing is. The stored example is shown while its own files are opened. */
  opening = $derived<Opening | null>(
    this.poster || this.openings.length === 0
      ? null
      : {
          model: this.openings.findLast((o) => o.model)?.model ?? '',
          bag: this.openings.findLast((o) => o.bag)?.bag ?? '',
        },
  );
  modelName = $derived(this.opening?.model || (this.modelSource?.name ?? ''));
  bagName = $derived(this.opening?.bag || (this.bagSource?.name ?? ''));

  get model(): Model | null {
    return this.opening?.model ? null : held.model;
  }
  get set(): BagSet | null {
    return this.opening?.bag ? null : held.set;
  }
  get prepared(): Prepared | null {
    return this.opening?.bag ? null : held.prepared;
  }
  get bag(): Bag | null {
    return this.opening ? null : held.bag;
  }
  get place(): Place | null {
    return this.opening ? null : held.place;
  }
  get unplaced(): string {
    return this.opening ? '' : held.unplaced;
  }
  /** Instances taken out, ascending. */
  get out(): readonly number[] {
    return this.opening ? NONE : held.out;
  }
  /** The prediction of the whole bag, and of what is left of it when instances are out. */
  get whole(): Prediction | null {
    return this.opening ? null : held.whole;
  }
  get rest(): { prediction: Prediction; out: readonly number[] } | null {
    return this.opening ? null : held.rest;
  }
  get report(): Report | null {
    return this.opening ? null : held.report;
  }
  /** How far the report can be trusted; null until that is measured. */
  get trust(): readonly Trust[] | null {
    return !this.opening && held.trusted?.report === held.report ? (held.trusted?.trust ?? null) : null;
  }
  /** Many bags, one after another. */
  get batch(): typeof held.batch {
    return this.opening?.model || this.opening?.bag ? null : held.batch;
  }

  /** Whether the explanation is of what is left instead of the whole bag. */
  left = $state(false);

  choice = $state<Choice>({ method: USUAL_METHOD, settings: '', options: {}, output: '', seed: '' });
  /** Classes that the user wants drawn; null leaves it to the page. */
  wanted = $state.raw<readonly number[] | null>(null);
  /** Of a report with several methods, the one that is drawn. */
  tab = $state('');
  picture = $state.raw<Picture | null>(null);
  /** Its pixels to one of the page. */
  pictureScale = $state(1);
  /** How a bag that lies in a picture is drawn, and which class there; -1 is the predicted one. */
  view = $state<'picture' | 'strip'>('picture');
  face = $state(-1);
  draft = $state.raw<Draft | null>(null);
  /** Whether each class has a scale of colours of its own. */
  perClass = $state(false);
  /** Of the strongest tint over a picture. */
  opacity = $state(0.6);
  /** Of a picture, how many of the highest scores are left bright; 0 tints all. */
  top = $state(0);
  run = $state.raw<{ done: number; total: number; of: 'instances' | 'evaluations' } | null>(null);

  /** Files that were dropped together and are a bag, or several, each. */
  waitingFiles = $state.raw<readonly FileLike[]>([]);
  /** What is drawn beside the explanation: a method, and a class of it. */
  compare = $state.raw<{ method: string; class: number } | null>(null);
  /** How faithful a report is, and the measuring of it while it runs. */
  judged = $state.raw<{ judged: Judged; report: Report } | null>(null);
  trusting = $state(false);
  judging = $state.raw<{ done: number; total: number } | null>(null);
  /** How long the last prediction of a whole bag took, in milliseconds. */
  took = $state(0);

  /** What is no part of the first screen, fetched behind it. */
  extras = $state.raw<typeof import('../extras') | null>(null);
  /** Whether the page has forbidden itself any further connection. */
  sealed = $state(false);

  /** How many things are under way: files being read, predictions, a drawing. */
  working = $state(0);
  busy = $derived(this.phase === 'loading' || this.run !== null || this.working > 0);

  /** The instance under the pointer or the keyboard's focus. */
  active = $state<number | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** A sentence that tells how something went well. */
  note = $state('');
  /** What is said to those who do not see the picture change. */
  said = $state('');

  /** Class names of the open bag. */
  classes = $derived(this.whole?.classes ?? this.model?.info.classes ?? []);
  probability = $derived(this.whole?.output === 'prob');
  /** The class with the highest value for the whole bag; -1 without a prediction. */
  predicted = $derived(top(this.whole));
  /** The same of what is left, or of the whole bag when nothing is out. */
  predictedNow = $derived(this.rest ? top(this.rest.prediction) : this.predicted);
  method = $derived(this.methods.find((m) => m.name === this.choice.method) ?? null);
  /** Names of the options that the chosen method takes. */
  options = $derived<readonly string[]>(
    this.choice.method === ALL_METHODS
      ? this.methods.flatMap((m) => m.options)
      : (this.method?.options ?? []),
  );
  /** Names of the methods in the report, in its order. */
  reported = $derived([...new Set(this.report?.explanations.map((e) => e.method) ?? [])]);
  drawn = $derived(
    this.reported.find((m) => m === this.tab) ??
      this.reported.find((m) => m === this.choice.method) ??
      this.reported[0] ??
      null,
  );
  /** Class indices that are drawn, ascending. */
  shown = $derived(this.#shown());
  /** The drawn method's explanations of the shown classes. */
  explanations = $derived<Explanation[]>(
    this.report?.explanations.filter((e) => e.method === this.drawn && this.shown.includes(e.class)) ?? [],
  );

  /** The class that is drawn where there is room for one. */
  faced = $derived(
    this.shown.includes(this.face)
      ? this.face
      : this.shown.includes(this.predicted)
        ? this.predicted
        : this.shown[0]!,
  );

  /** The same with a class that the open model has. */
  beside = $derived(
    this.compare && {
      ...this.compare,
      class: this.compare.class < this.classes.length ? this.compare.class : this.faced,
    },
  );
  /** That explanation, null while the report does not hold it. */
  compared = $derived<Explanation | null>(
    this.report?.explanations.find(
      (e) => e.method === this.beside?.method && e.class === this.beside.class,
    ) ?? null,
  );

  #shown(): number[] {
    const all = this.classes.map((_, c) => c);
    const wanted = this.wanted?.filter((c) => c < all.length) ?? [];
    if (wanted.length > 0) return wanted;
    if (all.length <= FEW_CLASSES) return all;
    const scores = this.whole?.prediction ?? [];
    const best = all.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
    return best.slice(0, FEW_CLASSES - 1).sort((a, b) => a - b);
  }

  #position = $derived(new Map(this.report?.instances.map((instance, at) => [instance, at])));

  /** The score of an instance of the bag in an explanation, NaN where it was not explained. */
  score(e: Explanation, instance: number): number {
    return e.scores[this.#position.get(instance) ?? -1] ?? NaN;
  }

  /** The same score beside its neutral point, and whether it is evidence. */
  reading(e: Explanation, instance: number): Reading {
    return reading(e, this.#position.get(instance) ?? -1);
  }

  /** Explanations of all classes by a method. */
  allOf(method: string | null): Explanation[] {
    return this.report?.explanations.filter((e) => e.method === method) ?? [];
  }

  /** The difference that has the strongest colour in an explanation: of its class, or of all classes. */
  scale(e: Explanation): number {
    return magnitude(this.perClass ? [e] : this.allOf(e.method));
  }

  /** Does something while the page says that it is busy. */
  async while<T>(work: () => Promise<T>): Promise<T> {
    this.working++;
    try {
      return await work();
    } finally {
      this.working--;
    }
  }

  methodTitle(name: string): string {
    return this.methods.find((m) => m.name === name)?.title ?? name;
  }

  className(c: number): string {
    return this.classes[c] ?? `class ${c}`;
  }

  /** The state as a link. */
  link(): Link {
    const { method, settings, output, seed } = this.choice;
    const options: Record<string, string> = {};
    for (const field of fieldsFor(this.options)) {
      const text = this.choice.options[field.name];
      // Coalitions may be megabytes long, and a link is not.
      if (text && field.kind !== 'lines') options[field.name] = text;
    }
    return {
      method,
      settings: settings || undefined,
      options,
      output: output || undefined,
      seed: seed === '' ? undefined : Number(seed),
      classes: this.wanted ? [...this.wanted] : undefined,
      bag: this.index,
      out: this.out.length > 0 ? [...this.out] : undefined,
      left: this.left || undefined,
      against: this.compare ? `${this.compare.method}.${this.compare.class}` : undefined,
    };
  }
}

function top(p: Prediction | null): number {
  if (!p || p.prediction.length === 0) return -1;
  return p.prediction.reduce((best, x, c) => (x > p.prediction[best]! ? c : best), 0);
}

export const studio = new Studio();
