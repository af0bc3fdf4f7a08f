// The page as a state machine: what it does now, which state may follow which, and how long a stage
// will take. Nothing here is drawn or stored.

/** What is opened, by the names of the files; '' for the half that stays as it is. */
export interface OpeningFiles {
  readonly model: string;
  readonly bag: string;
  /** Whether they are open, and are read again by other options. */
  readonly again?: boolean;
}

/** A part of the work that takes long. */
export type Stage = 'starting' | 'reading' | 'decoding' | 'cutting' | 'encoding' | 'explaining';

/** How far a stage is. */
export interface Progress {
  readonly stage: Stage;
  readonly done: number;
  /** In the unit of `done`; 0 if it is not known. */
  readonly total: number;
  /** When the stage began, in milliseconds as performance.now() gives them. */
  readonly began: number;
}

/** Without a model or without a bag there is nothing to explain. */
type Empty = { readonly at: 'empty' };
/** A model and a bag are open, and nothing is computed. */
type Ready = { readonly at: 'ready' };
type Explaining = { readonly at: 'explaining'; readonly progress: Progress };
/** The last attempt failed. What the user had is kept. */
type Failed = {
  readonly at: 'failed';
  readonly during: 'starting' | 'opening' | 'explaining';
  readonly keeps: 'empty' | 'ready';
};

/** The states that do not depend on files being opened. */
export type Settled = Empty | Ready | Explaining | Failed;

export interface Opening {
  readonly at: 'opening';
  /** All that are being opened, in the order in which they were given. */
  readonly files: readonly OpeningFiles[];
  readonly progress: Progress;
  /**
   * The state that the page goes back to afterwards. It changes meanwhile: an explanation may end.
   */
  readonly before: Settled;
}

export type Phase = Settled | Opening;

const unknown = (stage: Stage, now: number): Progress => ({ stage, done: 0, total: 0, began: now });

/** The files that the page opens by itself. */
export const example: OpeningFiles = { model: '', bag: '' };

/** The page as it starts. */
export const initial: Phase = {
  at: 'opening',
  files: [example],
  progress: unknown('starting', 0),
  before: { at: 'empty' },
};

/** The state below an opening. */
export const settled = (p: Phase): Settled => (p.at === 'opening' ? p.before : p);

const change = (p: Phase, next: Settled): Phase =>
  p.at === 'opening' ? { ...p, before: next } : next;

/** Files begin to be opened. */
export function begin(p: Phase, files: OpeningFiles, now: number): Opening {
  if (p.at === 'opening') return { ...p, files: [...p.files, files] };
  return { at: 'opening', files: [files], progress: unknown('reading', now), before: p };
}

/** These files are open, or will not be. */
export function finish(p: Phase, files: OpeningFiles): Phase {
  if (p.at !== 'opening') return p;
  const others = p.files.filter((f) => f !== files);
  return others.length > 0 ? { ...p, files: others } : p.before;
}

/**
 * A stage of what is opened, or of what is explained, went on. A report of work that ended is
 * ignored.
 */
export function advance(p: Phase, stage: Stage, done: number, total: number, now: number): Phase {
  const moved = (old: Progress): Progress => ({
    stage,
    done,
    total,
    began: old.stage === stage && done >= old.done ? old.began : now,
  });
  if (stage === 'encoding' || stage === 'explaining') {
    const s = settled(p);
    return s.at === 'explaining' ? change(p, { ...s, progress: moved(s.progress) }) : p;
  }
  return p.at === 'opening' ? { ...p, progress: moved(p.progress) } : p;
}

/** A model and a bag are open (`complete`), or one of them is not. */
export function hold(p: Phase, complete: boolean): Phase {
  const s = settled(p);
  const rest = complete ? 'ready' : 'empty';
  if (s.at === 'failed') return change(p, { ...s, keeps: rest });
  return s.at === 'explaining' && complete ? p : change(p, { at: rest });
}

/** The open bag begins to be explained. */
export function explain(p: Phase, now: number): Phase {
  const s = settled(p);
  if (s.at === 'empty' || (s.at === 'failed' && s.keeps === 'empty')) return p;
  return change(p, { at: 'explaining', progress: unknown('encoding', now) });
}

/** An explanation is there, or was cancelled. */
export function explained(p: Phase): Phase {
  return settled(p).at === 'explaining' ? change(p, { at: 'ready' }) : p;
}

/** Something failed. */
export function fail(p: Phase, during: Failed['during']): Phase {
  const s = settled(p);
  const keeps = s.at === 'failed' ? s.keeps : s.at === 'empty' ? 'empty' : 'ready';
  return change(p, { at: 'failed', during, keeps });
}

/** The user has read what failed. Without an engine the page stays as it is. */
export function dismiss(p: Phase): Phase {
  const s = settled(p);
  return s.at === 'failed' && s.during !== 'starting' ? change(p, { at: s.keeps }) : p;
}

/** Before so many milliseconds and such a share an estimate is a guess. */
const LEAST_TIME = 2000;
const LEAST_SHARE = 0.02;

/** The share of a stage that is done, 0 to 1; null if that is not known. */
export function share({ done, total }: Progress): number | null {
  return total > 0 ? Math.min(1, done / total) : null;
}

/**
 * The seconds that a stage still takes, if it goes on as it went so far; null while that is not
 * known.
 */
export function remaining(p: Progress, now: number): number | null {
  const part = share(p);
  const elapsed = now - p.began;
  if (part === null || part < LEAST_SHARE || elapsed < LEAST_TIME) return null;
  return Math.ceil((elapsed * (1 - part)) / part / 1000);
}
