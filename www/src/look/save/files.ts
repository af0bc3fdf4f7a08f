// The files that the page saves, made of what is open.
import { contextOf } from '../../lib/canvas';
import { brief } from '../state/brief';
import { cardWith } from '../open/modelfile';
import { encode } from '../open/hash';
import { linkOf } from '../open/link';
import { ordered } from '../map/order';
import { legendOf } from '../map/caption';
import { blobOf } from '../open/prepare';
import { replayJSON, type Named } from '../open/replay';
import { session } from '../state/session.svelte';
import { doc, givenFor, openModels, statedFor, type Given } from '../state/document.svelte';
import { question } from '../state/question.svelte';
import type { ModelSource } from '../state/types';
import { answer } from '../state/answer.svelte';
import { view } from '../state/view.svelte';
import { whatif } from '../state/whatif.svelte';
import { methodNotes } from '../map/legend';
import { renamed } from '../map/reasons';
import {
  paletteOf,
  scoresOf,
  type Overlay,
  type Palette,
  type PaletteName,
} from 'bagscope/patches';
import { look as words } from '../../strings';
import { noun } from '../state/noun';
import { reader } from '../read/reader';
import { dataURL, drawing, overlaid, png } from './canvas';
import { reportHTML } from './report';
import { drawingSVG, placeSVG } from './svg';

/** The longer side of a picture inside of an SVG file or a report. */
const INSIDE = 1600;
const THUMBS = 12;

const onPicture = () => (view.layout === 'picture' ? doc.place : null);
const faced = () => view.explanations.find((e) => e.class === view.class) ?? null;

function overlay(palette: Palette): Overlay {
  const { place } = doc;
  const { opacity, topCount: top } = view;
  const e = faced();
  return {
    boxes: place!.boxes,
    scores: e && scoresOf(place!.boxes.length, view.readings(e), view.scale(e)),
    picture: place!.tiles !== null,
    opacity: place!.tiles ? opacity : 1,
    top,
    out: new Set(question.removed),
    palette,
  };
}

const title = () => session.methodTitle(view.method ?? '');
const heading = () => ({ title: title(), detail: brief(doc.bag?.name ?? '') });
const name = (c: number) => answer.className(c);

/** The picture at its full size, or the drawing as it stands. */
export async function pngFile(palette: Palette): Promise<Uint8Array<ArrayBuffer> | null> {
  const place = onPicture();
  if (place) return png(await overlaid(place, overlay(palette), legendOf()));
  return (
    view.drawing &&
    png(drawing(view.drawing, view.drawingScale, heading(), name, legendOf(), palette))
  );
}

export async function svgFile(palette: Palette): Promise<string | null> {
  const place = onPicture();
  const e = faced();
  const of = (i: number, c: number | null) => {
    const shown = c === null ? e : (view.explanations.find((x) => x.class === c) ?? e);
    return shown
      ? words.sentence(noun(), i, answer.className(shown.class), view.reading(shown, i))
      : words.instanceAlone(noun(), i);
  };
  if (place) {
    const bare =
      place.tiles &&
      (await overlaid(
        { ...place, boxes: [] },
        { ...overlay(palette), boxes: [], scores: null },
        null,
        INSIDE,
      ));
    return placeSVG(
      place.world,
      bare && (await dataURL(bare, 'image/jpeg')),
      overlay(palette),
      `${title()}: ${answer.className(view.class)}`,
      legendOf(),
      (i) => of(i, null),
    );
  }
  if (!view.drawing) return null;
  const { drawing: picture, drawingScale } = view;
  const bare = drawing(picture, drawingScale, heading(), name, null, palette);
  const canvas = drawing(picture, drawingScale, heading(), name, legendOf(), palette);
  const lower = bare.height - picture.height;
  const cells = picture.cells.map((c) => ({ ...c, y: c.y + lower }));
  return drawingSVG(canvas, await dataURL(canvas), cells, title(), legendOf(), of);
}

/** The data as they were given, with their hashes. */
export async function dataNamed(): Promise<Named[]> {
  const files = doc.prepared?.given ?? [];
  return Promise.all(
    files.map(async (f) => ({
      name: f.name,
      sha256: await reader.hash(blobOf(f)).catch(() => null),
    })),
  );
}

/** Names, or null without any. */
const named = (names: Given) => (Object.keys(names).length > 0 ? names : null);

export async function replayFile(): Promise<string | null> {
  const { model, modelSource, bagSource, cut, classNames } = doc;
  const { engine } = session;
  const { choice } = question;
  const [first, ...folds] = openModels();
  if (!model || !modelSource || !first) return null;
  const patch = cut
    ? { size: cut.size, stride: cut.stride, background: cut.background }
    : (bagSource?.patch ?? null);
  const options = Object.fromEntries(
    Object.entries(choice.options).filter(
      ([name, text]) => text && question.options.includes(name as never),
    ),
  );
  const cardOf = (source: ModelSource) =>
    classNames ? cardWith(source.card, classNames) : (source.card ?? null);
  return replayJSON({
    engine: engine!.version,
    model: first,
    folds: folds.map((f, n) => ({ ...f, card: cardOf(modelSource.folds![n]!) })),
    card: cardOf(modelSource),
    data: await dataNamed(),
    patch,
    array: bagSource?.array ?? null,
    inputs: bagSource && statedFor(bagSource.files, doc.index),
    names: bagSource && named(givenFor(bagSource.files, doc.index)),
    link: encode(linkOf()),
    options,
  });
}

/** Everything in one HTML file. */
export async function reportFile(colours: PaletteName): Promise<string | null> {
  const { model, bag } = doc;
  const { report, prediction, remaining } = answer;
  const drawn = view.method;
  if (!model || !bag || !report || !prediction || !drawn) return null;
  const place = onPicture();
  const palette = paletteOf(false, colours);
  const picture = place
    ? await dataURL(await overlaid(place, overlay(palette), null, INSIDE), 'image/jpeg')
    : view.drawing &&
      (await dataURL(drawing(view.drawing, view.drawingScale, heading(), name, null, palette)));
  if (!picture) return null;
  return reportHTML({
    version: session.engine!.version,
    model: { name: doc.modelName || model.info.name, sha256: model.info.sha256 },
    data: await dataNamed(),
    slide: slideFacts(),
    bag: { name: bag.name, instances: bag.instances, noun: noun() },
    out: remaining?.removed ?? [],
    prediction: remaining?.values ?? prediction.prediction,
    units: prediction.units,
    report,
    summary: renamed(report.summary, report.classes, answer.classes),
    method: drawn,
    title: title(),
    faced: view.class,
    shown: view.classes,
    classes: answer.classes.map(brief),
    picture,
    legend: legendOf(),
    colours,
    thumbs: await thumbs(),
    judged: answer.judged,
    concepts: whatif.concepts,
    bands: whatif.inside?.groups === 'bands' ? whatif.inside : null,
    notes: [
      ...new Set([...(doc.prepared?.notes ?? []), ...report.notes]),
      ...methodNotes(view.explanations, (c) => answer.className(c)),
    ],
  });
}

/** What is known of the slide; null without one. The pictures beside its tissue are not read. */
function slideFacts(): string | null {
  const { slide } = doc;
  if (!slide) return null;
  const { width, height } = slide.levels[0]!;
  return words.slide.facts(width, height, slide.micronsX, slide.magnification, slide.levels.length);
}

// Small pictures of the strongest instances, by the order of support.
async function thumbs(): Promise<Map<number, string>> {
  const e = faced();
  const { place, bag } = doc;
  const picture = view.drawing;
  const found = new Map<number, string>();
  if (!e || !bag) return found;
  const best = ordered(bag.instances, { by: 0, descending: true }, (i) => view.score(e, i)).slice(
    0,
    THUMBS,
  );
  const side = 96;
  for (const i of best) {
    const canvas = new OffscreenCanvas(side, side);
    const context = contextOf(canvas);
    if (onPicture()?.tiles) {
      const bitmap = await place!.tiles!.thumb(i, place!.boxes[i]!, place!.world, side);
      if (!bitmap) continue;
      context.drawImage(bitmap, 0, 0, side, side);
    } else {
      const cell = picture?.cells.find((c) => c.instance === i && c.class === null);
      // The values of a vector are no picture.
      if (!cell || (bag.shape.length < 2 && cell.width > 3 * cell.height)) continue;
      const own = new OffscreenCanvas(1, 1);
      picture!.paint(own, cell);
      context.imageSmoothingEnabled = false;
      context.drawImage(own, 0, 0, side, side);
    }
    found.set(i, await dataURL(canvas));
  }
  return found;
}
