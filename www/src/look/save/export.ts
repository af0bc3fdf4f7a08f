// What leaves the page as files, in the shapes that the command line writes, so that scripts read
// both.
import type { Bag, Box, Groups, Report, Slide, Trust } from 'bagscope';
import { nextTask } from '../../lib/pauses';
import { csvRow } from '../state/csv';
import { renamed } from '../map/reasons';
import { conceptsJSON } from './concepts';

/** What the files of a bag call its instances, and where these lie. */
export type Placed = Pick<Bag, 'instanceNames' | 'boxes' | 'slide'>;

/** What a report is about. */
export interface Subject {
  model: { name: string; sha256: string };
  bag: Placed & Pick<Bag, 'name' | 'instances' | 'featureNames'>;
  classes: readonly string[];
  /** How far each method can be trusted, as far as it is measured. */
  trust: readonly Trust[];
  /** What concepts do, null if none were measured. */
  concepts: Groups | null;
  /** Sentences on how the page made the bag. */
  notes: readonly string[];
}

/**
 * The report as the command line's `explain --json` prints it, and `without` where instances were
 * left out.
 */
export function reportJSON(report: Report, about: Subject): string {
  const { name, instances, instanceNames, featureNames, boxes, slide } = about.bag;
  const left = new Set(report.instances);
  const without = Array.from({ length: instances }, (_, i) => i).filter((i) => !left.has(i));
  const out = {
    version: 1,
    model: about.model,
    bag: { name, instances, instance_names: instanceNames, feature_names: featureNames },
    ...(without.length > 0 ? { without } : {}),
    ...(slide ? { slide: slideJSON(slide) } : {}),
    ...(boxes ? { boxes: report.instances.map((i) => corners(boxes[i]!, slide)) } : {}),
    classes: about.classes,
    summary: report.summary.map((text) => renamed([text], report.classes, about.classes)),
    missed: report.missed.map((m) => ({
      method: m.method,
      class: m.class,
      instance: m.instance,
      by_itself: finite(m.byItself),
      missed_here: finite(m.missedHere),
      unit: m.unit,
      sentence: renamed([m.sentence], report.classes, about.classes),
    })),
    output: report.output,
    units: report.units,
    prediction: report.prediction.map(finite),
    ...(report.folds.length > 0 && {
      folds: report.folds.map((f) => ({ ...f, prediction: f.prediction.map(finite) })),
    }),
    covariates: report.covariates.map((c) => ({
      name: c.name,
      values: c.values.map(finite),
      reference: c.reference.map(finite),
      adds: c.adds.map(finite),
      units: c.units,
      instead: c.instead.map(finite),
    })),
    explanations: report.explanations.map((e) => ({
      method: e.method,
      settings: e.settings,
      class: e.class,
      scores: list(e.scores),
      unit: e.unit,
      stderr: e.stderr && list(e.stderr),
      freedom: finite(e.freedom),
      low: e.low && list(e.low),
      high: e.high && list(e.high),
      neutral: finite(e.neutral),
      evident: e.evident,
      ...(e.folds && {
        folds: {
          ...{ scores: e.folds.scores.map(list), between: list(e.folds.between) },
          ...{ agree: e.folds.agree, low: list(e.folds.low), high: list(e.folds.high) },
        },
      }),
      r2: finite(e.r2),
      evaluations: e.evaluations,
      notes: e.notes,
    })),
    skipped: report.skipped,
    trust: about.trust.map((t) => ({
      method: t.method,
      classes: t.classes,
      aopc_r: t.aopcr,
      beaten: t.beaten,
      correlation: t.correlation.map(finite),
      shown: t.shown,
      sufficiency: t.sufficiency.map(finite),
      necessity: t.necessity.map(finite),
      recoverability: t.recoverability.map(finite),
      ranked: t.ranked,
      least: t.least,
      cuts: t.cuts,
      sentences: t.sentences,
    })),
    ...conceptsJSON(about.concepts),
    evaluations: report.evaluations,
    seed: report.seed,
    notes: [...new Set([...about.notes, ...report.notes])],
  };
  // JSON.stringify takes no bigint; a seed that large is written as the digits it has. A text has no
  // raw newline, so that no name from a file can look like this key.
  const text = JSON.stringify(out, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v), 1);
  return text.replace(/^ "seed": "(\d+)"/m, ' "seed": $1') + '\n';
}

/** Rows that are written between two breaths of the page. */
const PIECE = 5000;

/**
 * The report as a table: a row for each method, class and instance, with its name and the corners
 * of its rectangle if the bag has them. It is written in pieces, between which the browser can
 * answer.
 */
export async function reportCSV(
  report: Report,
  classes: readonly string[],
  { instanceNames, boxes, slide }: Placed,
): Promise<Blob> {
  const named = instanceNames.length > 0;
  const origin = originOf(slide);
  const heading = ['method', 'class', 'class_name', 'instance', 'score', 'stderr', 'unit'].concat(
    ['neutral', 'evident', 'low', 'high', 'version'],
    report.folds.length > 0 ? ['between', 'agree'] : [],
    named ? ['instance_name'] : [],
    boxes ? ['x0', 'y0', 'x1', 'y1', 'origin'] : [],
  );
  const pieces = [new Blob([csvRow(heading)])];
  for (const e of report.explanations) {
    const name = classes[e.class] ?? String(e.class);
    const version = String(e.settings.version ?? '');
    const row = (i: number) => {
      const instance = report.instances[i] ?? i;
      return csvRow([
        ...[e.method, e.class, name, instance, e.scores[i], e.stderr?.[i], e.unit, e.neutral],
        ...[e.evident[i] ?? false, e.low?.[i], e.high?.[i], version],
        ...(e.folds ? [e.folds.between[i], e.folds.agree[i]] : []),
        ...(named ? [instanceNames[instance]] : []),
        ...(boxes ? [...corners(boxes[instance]!, slide), origin] : []),
      ]);
    };
    for (let from = 0; from < e.scores.length; from += PIECE) {
      if (from > 0) await nextTask();
      const length = Math.min(PIECE, e.scores.length - from);
      const rows = Array.from({ length }, (_, i) => row(from + i));
      pieces.push(new Blob([rows.join('')]));
    }
  }
  return new Blob(pieces);
}

/** A file name out of a model's, a bag's and a method's: "model-bag_3-milli.png". */
export function fileName(parts: readonly string[], ending: string): string {
  const clean = (s: string) =>
    s
      .replace(/\.(onnx|npz|npy|csv|gz|png|jpe?g|webp|tiff?|svs|h5|hdf5|safetensors|pth?)$/gi, '')
      .replace(/[^\p{L}\p{N}._-]+/gu, '_')
      .slice(0, 40);
  return `${parts.map(clean).filter(Boolean).join('-') || 'bagscope'}.${ending}`;
}

/** What places in files of a slide count from, see core.Slide.CountsFrom. */
function originOf(slide: Slide | null): 'bounds' | 'canvas' {
  return slide?.origin === 'bounds' && slide.unit === '' ? 'bounds' : 'canvas';
}

/** x0, y0, x1 and y1 from the origin of the slide; the last two lie outside of the rectangle. */
function corners({ x, y, width, height }: Box, slide: Slide | null): number[] {
  const [left, top] =
    slide && originOf(slide) === 'bounds' ? [x - slide.boundsX, y - slide.boundsY] : [x, y];
  return [left, top, left + width, top + height];
}

/** A slide with the names of the command line, without unknown values. */
function slideJSON(slide: Slide) {
  const { name, width, height, magnification, mpp, overlap, unit } = slide;
  const part = slide.boundsWidth !== width || slide.boundsHeight !== height;
  const all = {
    ...{ name, width, height, magnification, mpp, patch_size: slide.patchSize, overlap, unit },
    origin: originOf(slide),
    ...(part && {
      ...{ bounds_x: slide.boundsX, bounds_y: slide.boundsY },
      ...{ bounds_width: slide.boundsWidth, bounds_height: slide.boundsHeight },
    }),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0 && value !== ''));
}

const list = (of: ArrayLike<number>) => Array.from(of, finite);

function finite(x: number | null | undefined): number | null {
  return x !== null && x !== undefined && Number.isFinite(x) ? x : null;
}
