// Asking what-ifs of the open bag. A newer question cancels an older one.
import type { AskOptions, Bag, Change, InsideMap, MethodName, Sets } from 'bagscope';
import { explainChange } from '../explain/explanation';
import { follow, members, now } from '../explain/prediction';
import { withFound, withIndices } from '../state/concepts';
import { putAllBack } from './removal';
import { describe, isCancelled } from '../state/problem';
import { output } from '../explain/request';
import { answer } from '../state/answer.svelte';
import { doc } from '../state/document.svelte';
import { question, removeExactly } from '../state/question.svelte';
import { announce, dismiss, session, warn, whileBusy } from '../state/session.svelte';
import { view } from '../state/view.svelte';
import {
  addExactly,
  nameConcepts,
  putFound,
  putMoving,
  putRunning,
  whatif,
  type Kind,
  type Subject,
} from '../state/whatif.svelte';
import { screen } from '../../lib/screen.svelte';
import { look as words } from '../../strings';
import { noun } from '../state/noun';

/** Disjoint sets that are searched for: as many as one reads at a glance. */
const SETS = 3;

let running: AbortController | null = null;

/** Runs a search in the open bag, or in the joined one; `search` puts what it finds. */
async function run(
  kind: Kind,
  search: (subject: Subject, options: AskOptions) => Promise<string>,
  joined = false,
): Promise<void> {
  const { subject } = whatif;
  running?.abort();
  if (!subject) return;
  if (!joined && subject.removed.length === subject.bag.instances)
    return warn(words.emptyBag(noun()));
  const mine = (running = new AbortController());
  let [before, last] = [0, 0];
  putRunning({ kind, done: 0, total: 0 });
  const options: AskOptions = {
    class: subject.class,
    ...output(),
    signal: mine.signal,
    onProgress(done, total, of) {
      if (of !== 'evaluations' || running !== mine) return;
      if (done < last) before += last; // the next of several searches
      last = done;
      putRunning({ kind, done: before + done, total: total > 0 ? before + total : 0 });
    },
  };
  try {
    const sentence = await search(subject, options);
    if (running === mine) announce(sentence);
  } catch (error) {
    if (running === mine && !isCancelled(error)) warn({ ...describe(error), untilExplained: true });
  } finally {
    if (running === mine) cancel();
  }
}

/** Stops the search that runs. */
export function cancel(): void {
  running?.abort();
  running = null;
  putRunning(null);
}

/** Finds the smallest sufficient and necessary sets, and the curves. */
export const findSets = () =>
  run('sets', async (subject, options) => {
    const { model, bag, removed } = subject;
    const asked = { ...options, without: removed };
    const sets = await model.sets(bag, { ...asked, several: SETS });
    const scores = scoresOf(subject);
    const curves = await model.curves(bag, { ...asked, ...(scores ? { scores } : {}) });
    putFound(subject, 'sets', { sets, curves });
    const count = (list: Sets['sufficient']) => list?.sets.length ?? 0;
    return words.whatif.foundSets(count(sets.sufficient), count(sets.necessary));
  });

/** Finds the interactions of pairs among so many instances. */
export const findPairs = (among: number) =>
  run('pairs', async (subject, options) => {
    const { model, bag, removed } = subject;
    const pairs = await model.pairs(bag, { ...options, without: removed, among });
    putFound(subject, 'pairs', pairs);
    return words.whatif.foundPairs(pairs.pairs.filter((p) => p.evident).length);
  });

/** Predicts the bag for other values of a covariate; '' takes those between the file's bags. */
export const findProfile = (covariate: string, values: string) =>
  run('profile', async (subject, options) => {
    const { model, bag, removed } = subject;
    const asked = { ...options, without: removed, covariate };
    const profile = await model.profile(bag, values ? { ...asked, values } : asked);
    putFound(subject, 'profile', profile);
    return words.whatif.foundProfile(profile.values.length, profile.covariate);
  });

/** Adds the concepts of a file: annotations, vectors by name, or codes of features. */
export async function addConcepts(file: File): Promise<void> {
  const { bag } = doc;
  if (!bag) return;
  try {
    const found = await whileBusy(() => bag.concepts(file));
    if (doc.bag === bag) nameConcepts(withFound(whatif.conceptText, found));
    dismiss();
  } catch (error) {
    if (!isCancelled(error)) warn(describe(error));
  }
}

/** Measures what the named sets of instances do. */
export const measureConcepts = () =>
  run('concepts', async (subject, options) => {
    const { model, bag, removed } = subject;
    const concepts = withIndices(whatif.conceptText);
    const found = await model.groups(bag, { ...options, without: removed, concepts });
    putFound(subject, 'concepts', found);
    return words.whatif.concepts.found(
      found.concepts!.list.length,
      found.concepts!.list.filter((c) => c.evident).length,
    );
  });

/** Finds the fewest changes that turn the answer: removals, or additions from the other bag. */
export const findTurn = (adds: boolean) =>
  run(
    'turn',
    async (subject, options) => {
      const { model, bag, removed } = subject;
      const { moving, added } = whatif;
      const other = adds && moving ? moving.other : null;
      const turn = other
        ? await model.whatIf(moving!.joined, {
            ...options,
            without: removed, // what was removed is not added again
            members: members(),
            moves: 'add',
          })
        : await model.whatIf(bag, { ...options, without: removed });
      putFound(subject, 'turn', { turn, other, added });
      return words.whatif.foundTurn(changes(turn.fewest), adds);
    },
    adds,
  );

/**
 * Finds the parts of an instance that matter: cells of its picture, or its bands; or the bands of
 * so many of the strongest instances together.
 */
export const findInside = (
  instance: number,
  groups: InsideMap['groups'] = 'cells',
  strongest?: number,
) =>
  run('inside', async (subject, options) => {
    const { model, bag, removed } = subject;
    const asked = { ...options, groups, without: removed };
    const found = await model.inside(bag, instance, strongest ? { ...asked, strongest } : asked);
    putFound(subject, 'inside', found);
    const evident = found.evident.filter(Boolean).length;
    return words.inside.found(noun(), found.together, groups, evident);
  });

/** Checks the map of the drawn method. */
export const checkMap = () =>
  run('checks', async (subject, options) => {
    const { model, bag, removed } = subject;
    const method = view.method as MethodName;
    const found = await model.check(bag, { ...options, without: removed, method });
    putFound(subject, 'checks', found);
    return words.checks.found(
      [found.layers, found.noise, found.mark].map((c) => c?.passed ?? null),
    );
  });

/** The number of changes, 0 if none were found. */
const changes = (found: Change | null) => (found ? found.removed.length + found.added.length : 0);

/** The drawn scores of the instances that are in the bag; null if one has none. */
function scoresOf({ bag, removed, class: c }: Subject): number[] | null {
  const e = answer.by(view.method).find((e) => e.class === c);
  if (!e) return null;
  const out = new Set(removed);
  const scores = Array.from({ length: bag.instances }, (_, i) => i)
    .filter((i) => !out.has(i))
    .map((i) => view.score(e, i));
  return scores.every(Number.isFinite) ? scores : null;
}

/** The last choice of another bag, or of none; a newer one makes it moot. */
let choice = 0;

/** Joins another bag of the set, so that instances can be moved. */
export async function openOther(index: number): Promise<void> {
  const mine = ++choice;
  const { model, bag, bagSet } = doc;
  const { engine } = session;
  if (!model || !bag || !bagSet || !engine) return;
  const moot = () => mine !== choice || doc.bag !== bag;
  let unused: Bag[] = [];
  await whileBusy(async () => {
    try {
      const other = await bagSet.bag(index);
      unused = [other];
      const joined = await bag.with(other);
      unused = [other, joined];
      const thumbs = other.shape.length >= 2 && other.instances <= MOST_THUMBS;
      const drawing = thumbs
        ? await engine.draw(other, null, { kind: 'strip', cell: 40, width: 2000 })
        : null;
      if (moot()) return;
      separate();
      putMoving({ model, bag, index, other, joined, drawing });
      unused = [];
      await follow();
    } catch (error) {
      if (!moot() && !isCancelled(error)) warn(describe(error));
    } finally {
      for (const opened of unused) opened.close();
    }
  });
}

/** A strip of more pictures would take longer to draw than a frame. */
const MOST_THUMBS = 2000;

/** Closes the other bag; its instances leave the changed bag. */
export async function closeOther(): Promise<void> {
  choice++;
  separate();
  putMoving(null);
  await follow();
}

/** The open bag gets its instances back if it has none of its own. */
function separate(): void {
  if (question.removed.length !== doc.bag?.instances) return;
  removeExactly([]);
  explainChange();
}

/** Moves an instance of the other bag into the open one, or back. */
export async function moveOther(instance: number): Promise<void> {
  const { added } = whatif;
  const isIn = added.includes(instance);
  if (isIn && members().length === 1) return warn(words.lastInstance(noun()));
  addExactly(isIn ? added.filter((i) => i !== instance) : [...added, instance]);
  if (await follow())
    announce(words.whatif.movedOther(noun(whatif.moving?.other), instance, !isIn, now()));
}

/** Moves every instance back into its own bag. */
export async function moveBack(): Promise<void> {
  addExactly([]);
  await putAllBack();
}
