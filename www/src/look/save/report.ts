// A report in one HTML file. It contains its pictures, has no script and makes no request, so that a
// browser shows it from a disk after years.
import type { BagInfo, Explanation, Groups, InsideMap, Judged, Report } from 'bagscope';
import { number, plain, signed, value } from '../../lib/format';
import { reading, tone, type Legend } from '../state/evidence';
import { paletteOf, rampCSS, type Palette, type PaletteName } from 'bagscope/patches';
import { look as words, site } from '../../strings';
import { numbersText } from '../open/covariates';
import { renamed } from '../map/reasons';
import { barOf, partsOf } from '../whatif/parts';
import { escaped } from './escape';

export interface Subject {
  version: string;
  model: { name: string; sha256: string };
  data: readonly { name: string; sha256: string | null }[];
  /** Sides, microns and magnification of the slide; null without one. */
  slide: string | null;
  bag: { name: string; instances: number; noun: BagInfo['noun'] };
  out: readonly number[];
  prediction: readonly number[];
  units: readonly string[];
  report: Report;
  /** The explanation in sentences. */
  summary: string;
  /** The method that is drawn, and its title. */
  method: string;
  title: string;
  /** The class in the picture, and the classes in the table. */
  faced: number;
  shown: readonly number[];
  classes: readonly string[];
  /** Pictures as data addresses: of the explanation, and of the strongest instances. */
  picture: string;
  legend: Legend | null;
  /** The colours of the picture, on light, and of the words. */
  colours: PaletteName;
  thumbs: ReadonlyMap<number, string>;
  judged: Judged | null;
  concepts: Groups | null;
  /** Which bands mattered; null if that was not asked. */
  bands: InsideMap | null;
  notes: readonly string[];
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
img{max-width:100%;height:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.2rem .7rem;border-bottom:1px solid #8886;text-align:right}
th{max-width:16em}th:first-child{text-align:left}
.ramp{display:inline-block;width:8rem;height:.8rem;margin:0 .5rem}
small,.quiet{opacity:.75}code{overflow-wrap:anywhere}
svg.bars{display:block;width:100%;max-width:36rem;height:6rem}svg.bars rect{fill:currentColor}
ul.thumbs{display:flex;flex-wrap:wrap;gap:.8rem;list-style:none;padding:0}
ul.thumbs img{display:block;width:72px;image-rendering:auto}
@media print{body{margin:0;max-width:none}}`;

/** The colours of words for and against. */
function tones(colours: PaletteName): string {
  const of = (p: Palette) => `.support{color:${p.supportText}}.refute{color:${p.refuteText}}`;
  return (
    of(paletteOf(false, colours)) +
    `@media(prefers-color-scheme:dark){${of(paletteOf(true, colours))}}`
  );
}

/** A row of a table from cells of HTML. Its first cell is a heading, in a head row each cell is. */
function row(cells: readonly string[], head = false): string {
  const cell = (html: string, i: number) =>
    head || i === 0 ? `<th scope="${head ? 'col' : 'row'}">${html}</th>` : `<td>${html}</td>`;
  return `<tr>${cells.map(cell).join('')}</tr>`;
}

/** A score in its colour. It has a sign if it is evidence and the neutral point is 0. */
function score(e: Explanation, at: number): string {
  const r = reading(e, at);
  const text = r.evident && r.neutral === 0 ? signed(r.score) : plain(r.score);
  return `<span class="${tone(r) || 'quiet'}">${text}</span>`;
}

/** What the colours of the picture stand for. */
function legendHTML(l: Legend, p: Palette): string {
  const colours = `<span class="ramp" style="background:${rampCSS(p)}"></span>`;
  const ramp = l.ends ? `${escaped(l.ends[0])}${colours}${escaped(l.ends[1])}; ` : '';
  const lines = l.grey ? [...l.lines, l.grey] : l.lines;
  return `<p class="legend">${ramp}${escaped(lines.join('; '))}</p>`;
}

/** Bars of the scores of bands, as the page draws them, and a table of all. */
export function bandsHTML(found: InsideMap, noun: BagInfo['noun'], className: string): string {
  const say = words.inside;
  const name = (n: number) => say.value(found.scores[n]!, found.stderr?.[n]);
  const bars = partsOf(found).map((p, n) => {
    const { x, y, width, height } = barOf(p, n);
    const side = p.weight < 0 ? 'refute' : 'support';
    const at = `x="${x}" y="${y}" width="${width}" height="${height}"`;
    return `<rect class="${side}" ${at}><title>${escaped(say.band(n + 1, name(n)))}</title></rect>`;
  });
  const rows = found.scores.map((_, n) =>
    row([number(n), escaped(found.evident[n] ? name(n) : `(${name(n)})`)]),
  );
  const about = say.about(
    say.parts.bands(noun, found.together),
    className,
    say.hidden[found.hidden],
  );
  return `<h3>${say.heads.bands}</h3><p>${escaped(about)}</p>
<svg class="bars" viewBox="0 -1 ${found.columns} 2" preserveAspectRatio="none">${bars.join('')}</svg>
<table>${row([say.heads.band, escaped(`${say.heads.score} (${found.unit})`)], true)}
${rows.join('')}</table>`;
}

/** A heading and a list or table of parts in HTML; nothing if there are no parts. */
function section(
  parts: readonly string[],
  level: 'h2' | 'h3',
  heading: string,
  open: string,
  close: string,
): string {
  return parts.length > 0 ? `<${level}>${heading}</${level}>${open}${parts.join('')}${close}` : '';
}

/** The whole file. */
export function reportHTML(s: Subject): string {
  const say = words.report;
  const name = (c: number) => escaped(s.classes[c] ?? `class ${c}`);
  const shown = s.report.explanations.filter(
    (e) => e.method === s.method && s.shown.includes(e.class),
  );
  const faced = shown.find((e) => e.class === s.faced) ?? shown[0];
  const instance = escaped(say.instance(s.bag.noun));
  const title = say.title(s.model.name, s.bag.name);
  const settings = Object.entries(faced?.settings ?? {}).map(
    ([k, v]) => `${escaped(k)} ${escaped(typeof v === 'number' ? plain(v) : String(v))}`,
  );
  const strongest = faced
    ? [...s.thumbs].map(
        ([i, url]) =>
          `<li><img src="${url}" alt="">${number(i)} ${score(faced, s.report.instances.indexOf(i))}</li>`,
      )
    : [];
  const { folds } = s.report;
  // What several models add to the rows of the class in the picture.
  const spread = faced?.folds;
  const table = s.report.instances.map((instance, at) =>
    row([
      number(instance),
      String(instance),
      ...shown.map((e) => score(e, at)),
      ...(spread ? [`${spread.agree[at]}/${folds.length}`, plain(spread.between[at]!)] : []),
    ]),
  );
  const tableHead = row(
    [
      instance,
      say.index,
      ...shown.map((e) => name(e.class)),
      ...(spread ? [say.agree, say.between].map((text) => escaped(text(s.classes[s.faced]!))) : []),
    ],
    true,
  );
  const judged = (s.judged?.judgements ?? []).map((j) =>
    row([escaped(j.method), name(j.class), signed(j.values.aopc_r), plain(j.values.r2, 2)]),
  );
  const of = s.concepts;
  const concepts = (of?.concepts?.list ?? []).map((c, n) =>
    row([
      escaped(`${c.name} (${of!.groups[n]!.length})`),
      ...[c.without, c.alone].map((v) => escaped(value(v ?? NaN, s.units[of!.class]))),
      signed(c.shapley),
      c.evident ? `<strong>${plain(c.adjusted)}</strong>` : plain(c.adjusted),
    ]),
  );
  const columns = words.whatif.concepts;
  const conceptsHead = row(
    [columns.concept(s.bag.noun), columns.without, columns.alone, columns.effect, columns.p].map(
      escaped,
    ),
    true,
  );
  const rule = of?.concepts?.rule;
  // Without a reference, the cells of what an input adds are empty.
  const inputs = s.report.covariates.map((c) =>
    row([
      escaped(c.name),
      ...[c.values, c.reference].map((numbers) => escaped(numbersText(numbers))),
      ...shown.map(({ class: of }) =>
        c.adds.length > 0 ? escaped(`${signed(c.adds[of])} ${c.units[of] ?? ''}`) : '',
      ),
    ]),
  );
  const inputsHead = row(
    [say.input, say.value, say.reference, ...shown.map((e) => say.adds(name(e.class)))],
    true,
  );
  const missed = s.report.missed.filter((m) => m.method === s.method);
  const both = missed.map((m) =>
    row([
      number(m.instance),
      signed(m.byItself, 2),
      `${signed(m.missedHere, 2)} ${escaped(m.unit)}`,
    ]),
  );
  const opposed = missed
    .filter((m) => m.sentence)
    .map((m) => escaped(renamed([m.sentence], s.report.classes, s.classes)))
    .join(' ');
  const bothHead = row([instance, words.missed.score, words.missed.here], true);
  const classes = s.prediction.map((p, c) =>
    row([
      name(c),
      ...[p, ...folds.map((f) => f.prediction[c]!)].map((v) => escaped(value(v, s.units[c]))),
    ]),
  );
  const models = folds.length > 0 ? [words.folds.mean(folds.length)] : [say.value];
  const classesHead = row([say.class, ...models, ...folds.map((f) => escaped(f.name))], true);
  const hash = (sha256: string) => `, ${say.hash} <code>${escaped(sha256)}</code>`;
  const files = s.data.map(
    (d) => `<dt>${say.data}</dt><dd>${escaped(d.name)}${d.sha256 ? hash(d.sha256) : ''}</dd>`,
  );
  const notes = s.notes.map((t) => `<li>${escaped(t)}</li>`);
  const judgedHead = row([say.method, say.class, 'AOPC-R', 'R²'], true);
  return `<!doctype html>
<html lang="${LANGUAGE}" dir="${site.direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title)}</title><style>${style}${tones(s.colours)}</style></head><body>
<h1>${escaped(title)}</h1>
<p class="quiet">${escaped(say.made(s.version))} <strong>${escaped(say.notDiagnosis)}</strong></p>
<p><strong>${escaped(s.summary)}</strong></p>
<h2>${escaped(say.prediction)}</h2>
<p>${escaped(say.of(s.bag.noun, s.bag.instances, s.out.length))}</p>
<table>${classesHead}${classes.join('')}</table>
${section(inputs, 'h2', escaped(words.inputs.title), `<table>${inputsHead}`, '</table>')}
<h2>${escaped(say.explanation)}</h2>
<p>${escaped(s.title)}: ${name(s.faced)}</p>
<p><img src="${s.picture}" alt="${escaped(`${s.title}: ${s.classes[s.faced] ?? ''}`)}"></p>
${s.legend ? legendHTML(s.legend, paletteOf(false, s.colours)) : ''}
${s.bands ? bandsHTML(s.bands, s.bag.noun, s.classes[s.bands.class] ?? '') : ''}
${section(strongest, 'h3', escaped(say.strongest(s.bag.noun)), '<ul class="thumbs">', '</ul>')}
${section(both, 'h3', say.both(name(missed[0]?.class ?? 0)), `<table>${bothHead}`, '</table>')}
${opposed ? `<p>${opposed}</p>` : ''}
${section(concepts, 'h2', of ? escaped(columns.table(s.classes[of.class] ?? '')) : '', `<table>${conceptsHead}`, '</table>')}
${rule ? `<p>${escaped(columns.rule(rule.text, rule.fit))}</p>` : ''}
${section(judged, 'h2', escaped(say.faithful), `<table>${judgedHead}`, '</table>')}
<h2>${escaped(say.how)}</h2>
<dl><dt>${say.model}</dt><dd>${escaped(s.model.name)}${hash(s.model.sha256)}</dd>
${files.join('\n')}
${s.slide ? `<dt>${say.slide}</dt><dd>${escaped(s.slide)}</dd>` : ''}
<dt>${say.method}</dt><dd>${[escaped(s.title), settings.join(', ')].filter(Boolean).join(': ')}</dd>
<dt>${say.seed}</dt><dd>${String(s.report.seed)}</dd></dl>
${section(notes, 'h3', say.notes, '<ul>', '</ul>')}
<h2>${escaped(say.table)}</h2>
<table>${tableHead}${table.join('')}</table>
</body></html>
`;
}
