// Files that were dropped or chosen: a model, its card, a bag, or several at once.
import { bagSource } from './bagfiles';
import { eachModel } from '../state/eachmodel';
import { completed, expectFiles, missing } from './external';
import { cardName, mayLay, role, sort } from './files';
import { isData } from '../state/formats';
import { open, opens, settled } from './subject';
import { compareWith, isTarget } from './target';
import { describe } from '../state/problem';
import { MOST_BYTES, readReplay, VersionError, type Replay } from './replay';
import { takeOver, waitingReplay } from './waitingreplay';
import { ReadFault } from '../read/fault';
import { loaded, nameClasses, offerFiles } from '../state/document.svelte';
import {
  engineStart,
  extrasStart,
  fail,
  notify,
  session,
  whileBusy,
} from '../state/session.svelte';
import type { ModelFile, ModelSource, SlideFile } from '../state/types';
import { look as words } from '../../strings';

/** Of more files none states something of a slide: they are its tiles, or a bag. */
const MOST_STATING = 32;

/** Resolves when the files before have begun to be opened, or cannot be. */
let last = Promise.resolve();

/**
 * Opens files that were dropped, pasted or chosen, perhaps after their folders are listed. Files are
 * opened in the order in which they were given, also if a folder takes longer. Files that state
 * something of the patches of a slide are applied to it, unless `recognise` is false.
 */
export function openFiles(
  files: readonly File[] | Promise<readonly File[]>,
  recognise = true,
): Promise<void> {
  const earlier = last;
  let begun = () => {};
  last = new Promise<void>((done) => (begun = done));
  return whileBusy(() => readFiles(files, recognise, earlier, begun).finally(begun));
}

async function readFiles(
  listed: readonly File[] | Promise<readonly File[]>,
  recognise: boolean,
  earlier: Promise<void>,
  begun: () => void,
): Promise<void> {
  let files: readonly File[] = [];
  try {
    const dropped = await listed;
    await earlier;
    if (dropped.length === 0) throw new ReadFault('format', words.messages.noFiles);
    const laid = recognise ? await slideFilesAmong(dropped) : [];
    const others = dropped.filter((f) => laid.every(({ file }) => file !== f));
    if (others.length === 0) {
      begun();
      return await session.extras!.applySlideFiles(laid);
    }
    files = completed(others, sort(others).model);
    const encoder = await encoderAmong(files);
    const found = sort(encoder ? files.filter((f) => !encoder.includes(f)) : files);
    // Before the file is read: a text of gigabytes would stop the page.
    if (found.card && found.card.size > MOST_BYTES)
      throw new ReadFault('limit', words.replay.large(found.card.name));
    const text = await found.card?.text();
    const own = text === undefined ? null : replayOf(found.card!.name, text);
    const replay = own ?? waitingReplay();
    const card = replay?.card ?? (own ? undefined : text);
    const cardOf = (name: string) => {
      const fold = replay?.folds.find((f) => f.name === name);
      return fold ? (fold.card ?? undefined) : card;
    };
    let model: ModelSource | ModelFile | null = null;
    if (found.model) {
      const { name } = found.model;
      const folds = await foldsAmong(found.unused, files, cardOf);
      model = { name, file: found.model, card: cardOf(name), files, folds };
    } else if (card && (await session.extras?.describeEncoder(found.card!))) return begun();
    else if (card && loaded.modelSource) {
      nameClasses(null); // the card names them
      model = eachModel(loaded.modelSource, () => ({ card, ownCard: undefined }));
    }
    if (!model && !replay && (await isTarget(found.bag))) {
      begun();
      return await compareWith(found.bag[0]!);
    }
    const bags = bagSource(several(found.bag));
    const opening = replay ? takeOver(replay, model, bags) : open(model, bags);
    begun();
    await opening;
    const before = Object.values(loaded.modelSource?.external ?? {}); // in a chain
    if (encoder && !before.includes(encoder[0]!)) await session.extras!.useEncoder(encoder);
    if (laid.length > 0 && !session.problem) await session.extras!.applySlideFiles(laid);
  } catch (error) {
    const paths = missing(error);
    if (paths) expectFiles(files, paths);
    fail('opening', describe(error, paths ? words.messages.drop(paths.length) : ''));
  }
}

async function slideFilesAmong(files: readonly File[]): Promise<readonly SlideFile[]> {
  if (files.length > MOST_STATING) return [];
  if (!files.some((f) => mayLay(f, opens() || !!loaded.prepared?.slide))) return [];
  await Promise.all([extrasStart, engineStart]);
  await settled();
  return session.engine && session.extras ? session.extras.slideFiles(files) : [];
}

// Models beside the first one, each with its own card, or that of the first.
const foldsAmong = (
  models: readonly File[],
  files: readonly File[],
  cardOf: (name: string) => string | undefined,
) =>
  Promise.all(
    models.map(async (file) => {
      const own = await files.find((f) => f.name === cardName(file.name))?.text();
      return { name: file.name, file, card: own ?? cardOf(file.name), files };
    }),
  );

// Two models may be the encoder of a slide's patches and the model of its features. Returns the files
// of the encoder.
async function encoderAmong(files: readonly File[]): Promise<readonly File[] | null> {
  const models = files.filter((f) => role(f.name) === 'model');
  if (models.length !== 2) return null;
  await extrasStart;
  if (!session.extras) return null;
  return session.extras.pair(models, files);
}

function replayOf(name: string, text: string): Replay | null {
  try {
    const replay = readReplay(text);
    // As the page names them: the file is not a model card.
    if (replay || !/\.replay\.json$/i.test(name)) return replay;
  } catch (error) {
    if (error instanceof VersionError) throw new ReadFault('format', words.replay.newer(name));
  }
  throw new ReadFault('format', words.replay.broken.text);
}

// Of several files that are a bag each, the first is opened, and the table offers all.
function several(files: readonly File[]): readonly File[] {
  const data = files.filter((f) => isData(f.name));
  if (files.length > 0) offerFiles(data.length > 1 ? data : []);
  return data.length > 1 ? data.slice(0, 1) : files;
}
