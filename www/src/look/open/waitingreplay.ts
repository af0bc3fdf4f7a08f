// Taking over a replay file, with the model and the data that are dropped beside it or open
// already.
import { brief } from '../state/brief';
import { decode } from './hash';
import { applyLink } from './link';
import { open } from './subject';
import { differing, modelsOf, type Named, type Replay } from './replay';
import { go } from './openbag';
import { givenFor, loaded, nameInstances, openModels, stateFor } from '../state/document.svelte';
import { choose, question } from '../state/question.svelte';
import { notify, session, warn } from '../state/session.svelte';
import type { BagSource, ModelFile, ModelSource } from '../state/types';
import { look as words } from '../../strings';

/** Names of files in a message. */
const MOST_NAMES = 5;

/** A replay file whose model or data are not open yet. */
let waiting: Replay | null = null;

/** The replay file that waits for its model or its data; null without one. */
export const waitingReplay = (): Replay | null => waiting;

/** Stops waiting. */
export const forgetReplay = () => void (waiting = null);

/** Takes over what a replay file says. It waits for what is missing. */
export async function takeOver(
  replay: Replay,
  model: ModelSource | ModelFile | null,
  bags: BagSource | null,
): Promise<void> {
  waiting = replay;
  applyLink(decode(replay.link));
  choose({ options: { ...question.choice.options, ...replay.options } });
  const { index } = loaded;
  const patch = replay.patch ?? undefined;
  const array = replay.array ?? undefined;
  const { problem } = session;
  const source = bags ?? (patch || array ? loaded.bagSource : null);
  const files = (bags ?? loaded.bagSource)?.files;
  if (files && replay.inputs) stateFor(files, index, replay.inputs);
  await open(model, source && { ...source, patch, array }, { index, keep: true });
  // What could not be opened is stated already, and the file waits for better ones.
  if (session.problem && session.problem !== problem) return;
  if (!model && !source) await go(index, { keep: true });
  const data = session.extras ? await session.extras.dataNamed() : [];
  const other = differing(replay, openModels(), data);
  const say = words.replay;
  if (!other.data && replay.names && loaded.bagSource) {
    const { bagSource, index: at } = loaded;
    nameInstances(bagSource.files, at, { ...givenFor(bagSource.files, at), ...replay.names });
  }
  if (!other.model && !other.data) {
    waiting = null;
    return notify(say.same);
  }
  const saved = modelsOf(replay);
  const [models, bag] = [namesOf(saved), namesOf(replay.data)];
  const wanted = [
    other.model && !model && say.model(models, saved.length),
    other.data && !bags && say.bag(bag),
  ].filter(Boolean);
  if (wanted.length > 0) return warn(say.wait(wanted.join(say.and)));
  waiting = null;
  warn(other.model ? say.other('model', models) : say.other('data', bag));
}

function namesOf(files: readonly Named[]): string {
  const some = files.slice(0, MOST_NAMES).map(({ name }) => brief(name));
  return some.concat(files.length > MOST_NAMES ? ['…'] : []).join(', ');
}
