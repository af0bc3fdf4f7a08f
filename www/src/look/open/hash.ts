// The address's hash is the state of the page, seed included, so that a picture is a link. Files
// are not in it: they never leave the machine.
import type { Sight } from '../place/view';

/** What a link says. Absent keys mean the page's own defaults. */
export interface Link {
  method?: string;
  /** A data set's settings, such as "mnist". */
  settings?: string;
  seed?: number;
  output?: string;
  /** What inputs beside the bag are compared with. */
  reference?: string;
  /** Values of the method's options by their names in the table of methods. */
  options: Record<string, string>;
  /** Class indices that are drawn. */
  classes?: number[];
  /** The class on the picture; absent for the predicted one. */
  class?: number;
  /** Whether patches that lie in a picture are shown in rows. */
  rows?: true;
  /** Whether the map over the picture is off. */
  bare?: true;
  /** Whether instances are in the order of the file. */
  order?: 'file';
  /** The instance that the user selected. */
  at?: number;
  /** The part of the picture in sight; absent for all of it. */
  view?: Sight;
  /** The model that is explained, of several; absent for their mean. */
  fold?: number;
  /** Index of the bag in its set. */
  bag?: number;
  /** Instances that are taken out of the bag. */
  out?: number[];
  /** What is drawn beside the explanation: a method and a class index, "single.2". */
  against?: string;
  /** Whether the link has a version that this page does not read. It then says nothing else. */
  foreign?: true;
}

/** The version of links. The key v states a later one; a link without it has this version. */
const VERSION = '1';

const own = new Set([
  'method',
  'settings',
  'seed',
  'output',
  'reference',
  'classes',
  'class',
  'rows',
  'bare',
  'order',
  'at',
  'view',
  'fold',
  'bag',
  'out',
  'left',
  'against',
  'v',
]);
const MAX_LENGTH = 20_000;
const NAME = /^[a-z0-9_-]{1,40}$/i;

/** Writes a link as "method=milli&samples=150&out=3.17", with keys in a fixed order. */
export function encode(link: Link): string {
  const parts: string[] = [];
  const put = (key: string, text: string | number | undefined) => {
    if (text !== undefined && text !== '') parts.push(`${key}=${encodeURIComponent(text)}`);
  };
  put('method', link.method);
  put('settings', link.settings);
  for (const key of Object.keys(link.options).sort()) put(key, link.options[key]);
  put('output', link.output);
  put('reference', link.reference);
  put('seed', link.seed);
  put('classes', link.classes?.join('.'));
  put('class', link.class);
  put('rows', link.rows ? 1 : undefined);
  put('bare', link.bare ? 1 : undefined);
  put('order', link.order);
  put('fold', link.fold);
  put('bag', link.bag || undefined);
  put('out', link.out?.join('.'));
  put('against', link.against);
  put('at', link.at);
  put('view', link.view && sightText(link.view));
  return parts.join('&');
}

/** Reads a link. A part that makes no sense is left out: a link is written by anybody. */
export function decode(hash: string): Link {
  const link: Link = { options: {} };
  if (hash.length > MAX_LENGTH) return link;
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  if ((parts.get('v') ?? VERSION) !== VERSION) return { ...link, foreign: true };
  for (const [key, text] of parts) {
    switch (key) {
      case 'method':
      case 'settings':
      case 'output':
        if (NAME.test(text)) link[key] = text;
        break;
      case 'reference':
        if (/^\P{C}{1,200}$/u.test(text)) link.reference = text;
        break;
      case 'seed':
      case 'fold':
      case 'bag':
      case 'class':
      case 'at':
        link[key] = index(text);
        break;
      case 'classes':
      case 'out':
        link[key] = indices(text);
        break;
      case 'rows':
      case 'bare':
        if (text === '1') link[key] = true;
        break;
      case 'order':
        if (text === 'file') link.order = text;
        break;
      case 'view':
        link.view = readSight(text);
        break;
      case 'against':
        if (/^[a-z0-9_-]{1,40}\.\d{1,6}$/i.test(text)) link.against = text;
        break;
      default:
        if (!own.has(key) && NAME.test(key) && NAME_OR_NUMBER.test(text)) link.options[key] = text;
    }
  }
  return link;
}

/** Where a link leads to among bags, classes and removals: equal for links that lead there. */
export const placeIn = ({ bag = 0, classes, class: c, out }: Link): string =>
  encode({ options: {}, bag, classes, class: c, out });

/** Whether two links differ in what is shown and in the removed instances alone. */
export function sameQuestion(a: Link, b: Link): boolean {
  const [one, other] = [a, b].map((link) =>
    encode({
      ...link,
      ...{ class: undefined, rows: undefined, bare: undefined, out: undefined },
      ...{ order: undefined, at: undefined, view: undefined },
    }),
  );
  return one === other;
}

const NAME_OR_NUMBER = /^[a-z0-9_.+-]{1,40}$/i;

/** "0.512_0.25_4.2": the middle in shares of the sides, and how near it is. */
const sightText = ({ x, y, zoom }: Sight) =>
  [share(x), share(y), Number(zoom.toPrecision(3))].join('_');
const share = (x: number) => Number(Math.min(1, Math.max(0, x)).toFixed(4));

function readSight(text: string): Sight | undefined {
  const parts = text.split('_');
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,6}(\.\d{1,6})?$/.test(part)))
    return undefined;
  const [x, y, zoom] = parts.map(Number);
  return x! <= 1 && y! <= 1 && zoom! >= 1 ? { x: x!, y: y!, zoom: zoom! } : undefined;
}

function index(text: string): number | undefined {
  const n = Number(text);
  return /^\d{1,15}$/.test(text) && Number.isSafeInteger(n) ? n : undefined;
}

function indices(text: string): number[] | undefined {
  const all = text.split('.').map(index);
  if (all.some((n) => n === undefined)) return undefined;
  return [...new Set(all as number[])].sort((a, b) => a - b);
}
