// Files that were dropped or chosen: a model, its card, a bag, or several at once.
import { bagSource } from './bagfiles';
import { cardName } from './card';
import { completed } from './external';
import { role, sort } from './files';
import { isData } from './formats';
import type { ModelFile } from './modelfile';
import { open } from './opening';
import { describe } from './problem';
import { readReplay, type Replay } from './replay';
import { takeOver, waitingReplay } from './replaying';
import { ReadFault } from '../read/fault';
import { loaded, nameClasses, offerFiles } from '../state/document.svelte';
import { fail, notify, session, warn, whileBusy } from '../state/session.svelte';
import type { ModelSource } from '../state/types';
import { look as words } from '../../strings';

/** Opens files that were dropped, pasted or chosen, perhaps after their folders are listed. */
export function openFiles(files: readonly File[] | Promise<readonly File[]>): Promise<void> {
  return whileBusy(() => readFiles(files));
}

async function readFiles(listed: readonly File[] | Promise<readonly File[]>): Promise<void> {
  try {
    const dropped = await listed;
    if (dropped.length === 0) throw new ReadFault('format', words.messages.noFiles);
    let files = completed(dropped, sort(dropped).model !== undefined);
    const encoder = await encoderAmong(files);
    if (encoder) files = files.filter((f) => !encoder.files.includes(f));
    const found = sort(files);
    const text = found.card ? await found.card.text() : undefined;
    const own = text === undefined ? null : replayOf(text);
    const replay = own ?? waitingReplay();
    const card = replay?.card ?? (own ? undefined : text);
    let model: ModelSource | ModelFile | null = null;
    if (found.model) model = { name: found.model.name, file: found.model, card, files };
    else if (card && loaded.modelSource) {
      nameClasses(null); // the card names them
      model = { ...loaded.modelSource, card };
    }
    const bags = bagSource(several(found.bag));
    if (replay) await takeOver(replay, model, bags);
    else await open(model, bags);
    if (encoder) await session.extras!.useEncoder(encoder.file, await encoder.card?.text());
    const others = found.unused.map((f) => f.name);
    if (others.length > 0) {
      const note = words.messages.twoModels(found.model!.name, others);
      // The page shows a notice only if there is no problem.
      if (session.problem) warn({ ...session.problem, text: `${session.problem.text} ${note}` });
      else notify(note);
    }
  } catch (error) {
    fail('opening', describe(error));
  }
}

// Two models may be the encoder of a slide's patches and the model of its features.
async function encoderAmong(files: readonly File[]) {
  const models = files.filter((f) => role(f.name) === 'model');
  if (models.length !== 2 || !session.extras) return null;
  const found = await session.extras.pair(models);
  if (!found) return null;
  const file = found.encoder;
  const card = files.find((f) => f.name === cardName(file.name));
  return { file, card, files: [file, ...(card ? [card] : [])] };
}

function replayOf(text: string): Replay | null {
  try {
    return readReplay(text);
  } catch {
    throw new ReadFault('format', words.replay.broken.text);
  }
}

// Of several files that are a bag each, the first is opened, and the table offers all.
function several(files: readonly File[]): readonly File[] {
  const data = files.filter((f) => isData(f.name));
  if (files.length > 0) offerFiles(data.length > 1 ? data : []);
  return data.length > 1 ? data.slice(0, 1) : files;
}
