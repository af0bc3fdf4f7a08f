// The state of the article in one place. Components read it; only the actions write it.
import type { MethodName, Trust } from 'bagscope';
import { stored } from 'virtual:learn/first';
import { first, type Prepared } from './bags';
import { composer } from './compose.svelte';
import { start, type Link } from './link';
import { ranked, type Fit, type Results, type Verdicts, type Facts, type Stored } from './results';
import { groupsOf, type Together } from './together';
import type { Coalition } from './science/sampler';
import { learn as words } from '../strings';

/**
 * A step of taking instances out: what is left is worth, for all classes; null while it is not
 * known.
 */
export interface Step {
  out: readonly number[];
  prediction: readonly number[] | null;
}

class Lesson {
  entry = $state.raw<Prepared>(first);
  facts = $state.raw<Facts>(stored);
  results = $state.raw<Results>(stored.results);
  /** How far the scores of the first screen can be trusted; null while it is not known. */
  trust = $state.raw<Trust | null>(stored.trust);
  verdicts = $state.raw<Verdicts>(stored.verdicts);
  coalitions = $state.raw<readonly Coalition[]>(stored.coalitions);
  /** (coalition, class); null while it is not known. */
  values = $state.raw<readonly (readonly number[] | null)[]>(stored.values);
  fit = $state.raw<Fit>(stored.fit);
  together = $state.raw<readonly Together[]>(stored.together);
  /** How many coalitions `fit` was made from. */
  fitted = $state(stored.coalitions.length);

  /** The class that is explained. */
  face = $state(first.face);
  /**
   * Instances that are out, in the order in which they were taken, and what the model said on the
   * way.
   */
  out = $state.raw<readonly number[]>([]);
  trail = $state.raw<readonly Step[]>([{ out: [], prediction: stored.prediction }]);
  /** What the model says without one more instance, by this instance; null while it is not known. */
  further = $state.raw<ReadonlyMap<number, readonly number[] | null>>(new Map());
  seed = $state(start().seed);
  alpha = $state(start().alpha);
  beta = $state(start().beta);
  shown = $state(start().shown);
  method = $state(start().method);
  gone = $state(0);

  /** The instance under the pointer or the keyboard's focus; it is lit in every figure. */
  active = $state<number | null>(null);
  phase = $state<'stored' | 'live' | 'failed'>('stored');
  problem = $state('');
  /** What is said to those who do not see the figures change. */
  said = $state('');

  k = $derived(this.facts.instances);
  /** What the model says of what is left; of the last step that is known. */
  now = $derived(
    this.trail.findLast((s) => s.prediction !== null)?.prediction ?? this.facts.prediction,
  );
  /** What it says of the whole bag. */
  whole = $derived(this.facts.prediction);
  top = $derived(best(this.now));
  settings = $derived({ seed: this.seed, alpha: this.alpha, beta: this.beta });
  /** Instances from the most to the least important, as MILLI ranks them. */
  order = $derived(ranked(this.results, this.facts.negative, this.face, this.seed));
  /** The method whose ranking is tried; the last that there is where the model cannot serve it. */
  tried = $derived(
    this.verdicts.rows.find((r) => r.method === this.method) ??
      this.verdicts.rows[this.verdicts.rows.length - 1]!,
  );

  /** The pairs and sets of the explained class. */
  deciding = $derived(this.together[this.face]!);
  /** The instances of its pairs: those that act alike stand together. */
  groups = $derived(groupsOf(this.deciding.joints));

  /** What the method that is tried has taken away so far. */
  away = $derived.by(() => {
    const scores = this.scores(this.tried.method) ?? [];
    const order = scores.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]!);
    return order.slice(0, this.gone);
  });

  /** A method's scores for the explained class; null where it cannot answer. */
  scores(method: string, face = this.face): readonly number[] | null {
    return this.results.rows.find((r) => r.method === method)?.scores[face] ?? null;
  }

  /** The same as distances from the neutral point; null where it cannot answer. */
  differences(method: string, face = this.face): readonly number[] | null {
    const row = this.results.rows.find((r) => r.method === method);
    return row?.scores[face]?.map((s) => s - (row.neutral[face] ?? 0)) ?? null;
  }

  /** Whether each of a method's scores for the explained class is evidence. */
  evident(method: string, face = this.face): readonly boolean[] {
    return this.results.rows.find((r) => r.method === method)?.evident[face]?.map(Boolean) ?? [];
  }

  /** What the model says without this instance alone, as One Removed tells it; else null. */
  without(i: number): readonly number[] | null {
    const removed = this.results.rows.find((r) => r.method === 'one_removed');
    return removed ? this.whole.map((p, c) => p - removed.scores[c]![i]!) : null;
  }

  /** What the model says if this instance is out, too; null while it is not known. */
  next(i: number): readonly number[] | null {
    return this.out.length === 0 ? this.without(i) : (this.further.get(i) ?? null);
  }

  className(c = this.face): string {
    const name = this.facts.classes[c] ?? '';
    return words.classes[name] ?? name;
  }

  label(i: number): number | undefined {
    return this.facts.labels[i];
  }

  title(method: string): string {
    const known = this.facts.methods.find((m) => m.name === method)?.title;
    return words.methods[method as MethodName] ?? known ?? method;
  }

  /** The instances of the kind that matters most to the explained class, such as both 8s. */
  twins = $derived.by(() => {
    const phi = this.scores('milli') ?? [];
    const label = this.label(best(phi));
    return this.facts.labels.flatMap((l, i) => (l === label ? [i] : []));
  });

  /** Shows a bag with what is stored of it. */
  show(entry: Prepared, known: Stored): void {
    const { results, trust, verdicts, coalitions, values, fit, together } = known;
    [this.entry, this.facts] = [entry, known];
    [this.results, this.trust, this.verdicts] = [results, trust, verdicts];
    [this.fit, this.fitted] = [fit, coalitions.length];
    [this.coalitions, this.values, this.together] = [coalitions, values, together];
    this.trail = [{ out: [], prediction: known.prediction }];
    this.active = null;
  }

  /** Takes over what a link says of the bag that is shown. */
  apply(link: Link): void {
    this.face = link.face < this.facts.classes.length ? link.face : this.entry.face;
    const out = link.out.filter((i) => i < this.k);
    this.out = out.length < this.k ? out : [];
    [this.seed, this.alpha, this.beta] = [link.seed, link.alpha, link.beta];
    [this.shown, this.method] = [link.shown, link.method];
    this.gone = Math.min(link.gone, this.k - 1);
  }

  link(): Link {
    const { face, out, shown, method, gone, settings, entry } = this;
    const own = composer.address;
    return { bag: entry.key, face, out: [...out], shown, method, gone, own, ...settings };
  }
}

/** Where the largest value is. */
export function best(values: readonly number[]): number {
  return values.reduce((at, x, i) => (x > values[at]! ? i : at), 0);
}

export const lesson = new Lesson();
