// Worksheets to print, made from the bags of the article, and their answers, computed by the engine
// when the site is built.
import type { Facts, Stored } from '../../src/learn/results.ts';
import { MAP } from '../../src/learn/results.ts';
import { percent } from '../../src/lib/format.ts';
import { worksheets as words } from '../../src/strings/index.ts';
import type { Source } from './pages.ts';

/** A bag of pictures: what is known of it, and learn/KEY.png with its instances side by side. */
export interface Sheet extends Pick<Facts, 'instances' | 'labels' | 'classes' | 'prediction'> {
  key: string;
  /** By the word's key in the strings. */
  noun: string;
  /** Whether the pictures are ink, which paper shows dark on light. */
  ink: boolean;
  results: Stored['results'];
  together: Stored['together'];
}

/** The worksheet and its answers; no pages without bags. */
export function worksheets(sheets: readonly Sheet[]): Source[] {
  if (sheets.length === 0) return [];
  const page = (
    name: 'worksheet' | 'answers',
    part: (sheet: Sheet) => string,
    before = '',
  ): Source => ({
    name,
    file: 'www/docs/index.md',
    markdown: [
      `# ${words[name].title}`,
      words[name].lead + before,
      ...sheets.map((sheet, i) => `## ${words.bag(i + 1)}\n\n${part(sheet)}`),
    ].join('\n\n'),
  });
  return [
    page('worksheet', (sheet) => `${strip(sheet)}\n\n${questions(sheet)}`, INK),
    page('answers', answers),
  ];
}

const questions = ({ classes, noun }: Sheet) =>
  words
    .questions(noun)
    .map((question, i) => `${i + 1}. ${question}${i === 0 ? `\n\n   ${boxes(classes)}` : BLANK}`)
    .join('\n');

const boxes = (classes: readonly string[]) =>
  classes.map((name) => `☐\u00a0${name}`).join(' &emsp; ');

/** A line to write on. */
const BLANK = '\n\n   ---';

function answers({ classes, prediction, results, together, noun }: Sheet): string {
  const top = prediction.indexOf(Math.max(...prediction));
  const row = results.rows.find(({ method }) => method === MAP)!;
  const evident = (sign: number) =>
    row.scores[top]!.flatMap((score, i) =>
      row.evident[top]![i] && sign * (score - row.neutral[top]!) > 0 ? [i] : [],
    ).sort((a, b) => sign * (row.scores[top]![b]! - row.scores[top]![a]!));
  const { sufficient, necessary } = together[top]!;
  const [enough] = sufficient;
  const [turns] = necessary;
  return [
    words.says(classes[top]!, percent(prediction[top]!)),
    words.evidence(noun, evident(1), evident(-1)),
    enough ? words.enough(noun, enough.instances) : '',
    turns ? words.turns(noun, turns.instances, percent(turns.p)) : words.stays,
  ]
    .filter(Boolean)
    .map((sentence) => `- ${sentence}`)
    .join('\n');
}

/** What turns light ink on a dark ground into dark ink on a light one, once for all pictures. */
const INK =
  '\n\n<svg width="0" height="0" aria-hidden="true"><filter id="ink"><feComponentTransfer>' +
  ['R', 'G', 'B'].map((c) => `<feFunc${c} type="table" tableValues="1 0" />`).join('') +
  '</feComponentTransfer></filter></svg>';

/** How many instances stand in a row of paper, and the sides of one, and of one with its number. */
const ACROSS = 12;
const SIDE = 28;
const CELL = { width: 34, height: 46 };

/** The numbered instances as one picture, each cut from the one with all. */
function strip({ key, instances, ink, noun }: Sheet): string {
  const rows = Math.ceil(instances / ACROSS);
  const cells = Array.from({ length: instances }, (_, i) => {
    const [x, y] = [(i % ACROSS) * CELL.width + 3, Math.floor(i / ACROSS) * CELL.height + 14];
    const image =
      `<image href="../learn/${key}.png" width="${instances * SIDE}" height="${SIDE}"` +
      ` preserveAspectRatio="none"${ink ? ' filter="url(#ink)"' : ''} />`;
    return (
      `<text x="${x + SIDE / 2}" y="${y - 3}" font-size="9" text-anchor="middle">${i + 1}</text>` +
      `<svg x="${x}" y="${y}" width="${SIDE}" height="${SIDE}" viewBox="${i * SIDE} 0 ${SIDE} ${SIDE}">${image}</svg>`
    );
  });
  const [width, height] = [ACROSS * CELL.width, rows * CELL.height];
  return `<svg class="strip" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words.numbered(instances, noun)}">${cells.join('')}</svg>`;
}
