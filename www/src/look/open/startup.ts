// Starting the engine with the example, and starting again.
import { BagscopeError, type Engine } from 'bagscope';
import {
  boot,
  fetchBytes,
  furtherPrograms,
  seal,
  type Device,
  type Example,
} from '../../lib/engine';
import { keepOffline, type Opened } from '../../site/offline';
import { fetchReader } from '../read/reader';
import { addressWith } from './address';
import { exampleSources, fetchFiles, isExample, suits } from './example';
import { cancelAll } from '../explain/explanation';
import { expectNothing } from './external';
import { sameQuestion, type Link } from './hash';
import { applyLink, applyView, linkOf } from './link';
import { startsEmpty, type Network } from './networks';
import { closeAll, open, opens, requested } from './subject';
import { showPoster } from './poster';
import { describe } from '../state/problem';
import { forgetReplay } from './waitingreplay';
import { requests } from './requests.svelte';
import { go } from './openbag';
import { putOut } from '../whatif/removal';
import { clearAnswers } from '../state/answer.svelte';
import { doc, loaded, offerFiles } from '../state/document.svelte';
import { choose, question } from '../state/question.svelte';
import {
  announce,
  clearMessages,
  dismiss,
  endStart,
  fail,
  markSealed,
  notify,
  offerMethods,
  session,
  showStored,
  useEngine,
  useExtras,
  useNetwork,
  warn,
} from '../state/session.svelte';
import type { Extras, Problem } from '../state/types';
import { resetView } from '../state/view.svelte';
import { look as words } from '../../strings';

export interface Start {
  /** What the address says is to be seen. */
  link: Link;
  /** The network that the example is opened under; null for its own. */
  network: Network | null;
  /** Whether no example is opened. */
  empty: boolean;
  /** The device that encodes. */
  device: Device;
  /**
   * Until the page is shown nothing changes in it: HTML that is there comes to life as it was
   * written.
   */
  shown: Promise<void>;
  fetchExtras: () => Promise<Extras>;
}

/** Starts the engine, opens the example and explains it. */
export async function start(asked: Start): Promise<void> {
  const { link, network, empty, device, shown, fetchExtras } = asked;
  requests.watch();
  useNetwork(network?.key ?? '');
  applyLink(link);
  if (!linked() && !network && !empty) showPoster();
  let engine: Engine, files: Example;
  try {
    const coming = Promise.all([boot(workerLost, device), fetchFiles(network)]);
    coming.catch(() => {}); // told of below
    await shown;
    [engine, files] = await coming;
    useEngine(engine);
  } catch (error) {
    showStored(false);
    clearAnswers();
    fail('starting', failure(error, network));
    useExtras(null);
    return endStart();
  }
  // Files that were chosen while the engine was loading replace the example.
  const opened = empty || opens() ? null : openExample({ first: true });
  await requested();
  offerMethods(engine);
  endStart();
  await opened;
  if (link.foreign) notify(words.messages.otherLink);
  showStored(false);
  const fetched = [
    { url: network?.url ?? '', bytes: files.model },
    ...files.folds.map((bytes, n) => ({ url: network!.folds![n]!, bytes })),
    { url: suits().url, bytes: files.bags },
    ...(files.annotations ? [{ url: suits().annotations!, bytes: files.annotations }] : []),
  ];
  const programs = await furtherPrograms(device);
  requests.add(1 + programs.length); // The engine's workers fetch them and the usual program.
  const further = await Promise.all(
    programs.map(async (url) => ({ url, bytes: await fetchBytes(url) })), // from the browser's own store
  ).catch(() => []);
  await close(engine, [...(network ? fetched : []), ...further], fetchExtras);
}

/** Returns why the engine or the example could not be started. */
function failure(error: unknown, network: Network | null): Problem {
  if (error instanceof BagscopeError && error.kind === 'unavailable')
    return { ...describe(error, words.messages.omitDevice), title: words.messages.noDevice };
  if (network) return { ...describe(error, words.networks.reload), title: words.networks.missing };
  return describe(error, words.messages.reload);
}

/**
 * Fetches what the page may still need, keeps the site for use without a network, and forbids it
 * all connections from then on. If the reader or a decoder cannot be fetched, its files cannot be
 * opened, and the page says so when they are.
 */
async function close(
  engine: Engine,
  opened: readonly Opened[],
  fetchExtras: () => Promise<Extras>,
): Promise<void> {
  const [extras] = await Promise.all([
    fetchExtras().catch(() => null),
    fetchReader().catch(() => {}),
    engine.fetchDecoder().catch(() => {}),
  ]);
  useExtras(extras);
  await keepOffline('../', opened); // by a worker of its own, which the seal does not bind
  seal();
  await requests.seal();
  markSealed();
}

/** Whether the address says what is to be seen. */
const linked = () => location.hash.length > 1;

/** Says that a worker ended. The engine has its part done elsewhere. */
function workerLost(reason: string): void {
  warn({ title: words.messages.worker, text: words.messages.workerHow(reason) });
}

/** Opens the bundled example; the first time as the address says. */
export async function openExample({ first = false } = {}): Promise<void> {
  const sources = exampleSources();
  if (!sources) return;
  if (startsEmpty(location.search)) {
    history.replaceState(null, '', addressWith('example', session.network));
  }
  if (!first || !linked()) {
    const { settings, samples } = suits();
    const { options } = question.choice;
    choose({ settings, options: samples ? { ...options, samples } : options });
  }
  await open(sources.model, sources.bags, first ? { index: loaded.index, keep: true, first } : {});
}

/** Closes model and bag, so that the user's own take their place. A reload keeps the page empty. */
export function startEmpty(): void {
  cancelAll();
  forgetReplay();
  expectNothing();
  offerFiles([]);
  clearMessages();
  closeAll();
  applyLink({ options: {} });
  history.replaceState(null, '', addressWith('example', 'none'));
  announce(words.messages.emptied);
}

/** Removes everything of the user's: files, results, what the browser stored for this page. */
export function forget(): void {
  const names = [loaded.modelSource, loaded.bagSource]
    .filter((source) => source && !isExample(source))
    .map((source) => source!.name);
  startEmpty();
  for (const store of [() => localStorage, () => sessionStorage]) {
    try {
      store().clear();
    } catch {
      // Storage is forbidden here, so that nothing is in it.
    }
  }
  resetView();
  notify(words.privacy.forgot(names));
}

/** Follows a link while the page is open. */
export async function follow(link: Link): Promise<void> {
  if (doc.bag && !link.foreign && sameQuestion(link, linkOf())) {
    applyView(link);
    return putOut(link.out ?? []);
  }
  applyLink(link);
  await go(loaded.index, { keep: true });
  if (link.foreign) notify(words.messages.otherLink);
}

/**
 * Tries again after the engine failed: it starts afresh by itself and reads model and bag once
 * more.
 */
export async function retry(): Promise<void> {
  if (session.stopped) return location.reload();
  dismiss();
  await go(loaded.index, { keep: true });
}
