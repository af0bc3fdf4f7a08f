// The patches of the open slide, which become its bag. Only this module writes them.
import type { Encoder, SlidePatches, TissueMask } from 'bagscope';
import type { Region } from './regions';

/** How patches are laid; null where neither the user nor a card says it. */
export interface Lay {
  readonly size: number | null;
  /** Microns that a pixel covers; 0 takes the pixels of the full resolution. */
  readonly microns: number | null;
  readonly overlap: number;
  /** Saturation from which on a pixel is tissue; 0 lets the engine find it. */
  readonly threshold: number;
  /** Smallest part of a patch that must be tissue, 0 to 1. */
  readonly least: number;
  readonly whole: boolean;
}

export const START: Lay = {
  ...{ size: null, microns: null, overlap: 0 },
  ...{ threshold: 0, least: 0, whole: false },
};

/** What a file can state of patches: the tissue, what is none, or where patches lie. */
export const ROLES = ['tissue', 'exclude', 'places'] as const;
export type Role = (typeof ROLES)[number];

/** Patches that are being encoded. */
export interface Encoding {
  readonly done: number;
  readonly total: number;
  /** How many were encoded when it began, and when that was, as performance.now() gives it. */
  readonly from: number;
  readonly began: number;
}

class Tiling {
  /** The encoder of the patches, and the files that it was opened from. */
  encoder = $state.raw<{ name: string; encoder: Encoder; files: readonly File[] } | null>(null);
  /** What the user entered; null takes the values of the cards. */
  entered = $state.raw<Partial<Lay>>({});
  files = $state.raw<Readonly<Partial<Record<Role, File>>>>({});
  /** Regions that the user drew to be left out. */
  regions = $state.raw<readonly Region[]>([]);
  /** Whether the pointer draws such a region. */
  drawing = $state(false);
  patches = $state.raw<SlidePatches | null>(null);
  mask = $state.raw<TissueMask | null>(null);
  laying = $state(false);
  /** Milliseconds that a patch takes; 0 until that is measured. */
  pace = $state(0);
  running = $state.raw<Encoding | null>(null);
  /** Patches that are encoded, by their numbers. */
  encoded = $state.raw<readonly number[]>([]);
  /** Which device encoded them; empty unless the page was opened with one. */
  notes = $state.raw<readonly string[]>([]);
  fault = $state('');
}

const state = new Tiling();

/** The patches, to be read. */
export const tiling: Readonly<Tiling> = state;

export function putEncoder(encoder: Tiling['encoder']): void {
  state.encoder?.encoder.close();
  [state.encoder, state.pace] = [encoder, 0];
}
export const enter = (change: Partial<Lay>) =>
  void (state.entered = { ...state.entered, ...change });
export const putFile = (role: Role, file: File | undefined) =>
  void (state.files = { ...state.files, [role]: file });
export const putRegions = (regions: readonly Region[]) => void (state.regions = regions);
export const beginDrawing = (on: boolean) => void (state.drawing = on);
export const beginLaying = () => void ([state.laying, state.fault] = [true, '']);
export const endLaying = () => void (state.laying = false);
export const refuse = (fault: string) => void (state.fault = fault);
export const putPace = (milliseconds: number) => void (state.pace = milliseconds);
export const putMask = (mask: TissueMask | null) => void (state.mask = mask);
export const putRunning = (running: Encoding | null) => void (state.running = running);

/** Puts other patches in place of those before. */
export function putPatches(patches: SlidePatches | null): void {
  if (state.patches !== patches) state.patches?.close();
  [state.patches, state.encoded] = [patches, patches?.encoded ?? []];
  state.notes = patches?.notes ?? [];
}

/** Reads anew which patches are encoded; while they are, the first `count` of their order. */
export function readEncoded(count?: number): void {
  const { patches } = state;
  if (!patches) return;
  state.encoded = count === undefined ? patches.encoded : patches.order.slice(0, count);
  state.notes = patches.notes;
}

/** Forgets the patches of a slide. The encoder stays for the next one. */
export function leaveSlide(): void {
  putPatches(null);
  [state.mask, state.running, state.entered, state.fault] = [null, null, {}, ''];
  [state.files, state.regions, state.drawing] = [{}, [], false];
}
