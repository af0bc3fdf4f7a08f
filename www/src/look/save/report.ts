// A report in one HTML file: pictures inside, no script, nothing asked for, readable from a disk in years.
import type { Explanation, Judged, Prediction, Report } from 'bagscope';
import { percent, plain, signed, value } from '../../lib/format';
import { reading, tone, type Legend } from '../lib/evidence';
import { rampCSS, type Palette } from '../place/paint';
import { look as words } from '../../strings';
import { escaped } from './escape';

export interface Subject {
  version: string;
  model: { name: string; sha256: string };
  data: readonly { name: string; sha256: string | null }[];
  bag: { name: string; instances: number };
  out: readonly number[];
  prediction: Prediction;
  report: Report;
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
  /** The colours of the picture. */
  palette: Palette;
  thumbs: ReadonlyMap<number, string>;
  judged: Judged | null;
  notes: readonly string[];
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}img{max-width:100%;height:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}th,td{padding:.2rem .7rem;border-bottom:1px solid #8886;text-align:right}th:first-child{text-align:left}
.support{color:#11703f}.refute{color:#b3261e}@media(prefers-color-scheme:dark){.support{color:#62d197}.refute{color:#ff9a90}}.ramp{display:inline-block;width:8rem;height:.8rem;margin:0 .5rem}small,.quiet{opacity:.75}code{overflow-wrap:anywhere}
ul.thumbs{display:flex;flex-wrap:wrap;gap:.8rem;list-style:none;padding:0}ul.thumbs img{display:block;width:72px;image-rendering:auto}@media print{body{margin:0;max-width:none}}`;

const row = (cells: readonly string[], head = false) =>
  `<tr>${cells.map((c, i) => (head || i === 0 ? `<th scope="${head ? 'col' : 'row'}">${c}</th>` : `<td>${c}</td>`)).join('')}</tr>`;
function score(e: Explanation, at: number): string {
  const r = reading(e, at);
  return `<span class="${tone(r) || 'quiet'}">${r.evident && r.neutral === 0 ? signed(r.score) : plain(r.score)}</span>`;
}

/** What the colours of the picture stand for. */
function legendHTML(l: Legend, p: Palette): string {
  const ramp =
    l.ends &&
    `${escaped(l.ends[0])}<span class="ramp" style="background:${rampCSS(p)}"></span>${escaped(l.ends[1])}; `;
  return `<p class="legend">${ramp ?? ''}${escaped([...l.lines, ...(l.grey ? [l.grey] : [])].join('; '))}</p>`;
}

/** The whole file. */
export function reportHTML(s: Subject): string {
  const say = words.report;
  const name = (c: number) => escaped(s.classes[c] ?? `class ${c}`);
  const shown = s.report.explanations.filter(
    (e) => e.method === s.method && s.shown.includes(e.class),
  );
  const faced = shown.find((e) => e.class === s.faced) ?? shown[0];
  const title = say.title(s.model.name, s.bag.name);
  const probability = s.prediction.output === 'prob';
  const settings = Object.entries(faced?.settings ?? {}).map(
    ([k, v]) => `${escaped(k)} ${escaped(typeof v === 'number' ? plain(v) : String(v))}`,
  );
  const strongest = faced
    ? [...s.thumbs].map(
        ([i, url]) =>
          `<li><img src="${url}" alt="">${i} ${score(faced, s.report.instances.indexOf(i))}</li>`,
      )
    : [];
  const table = s.report.instances.map((instance, at) =>
    row([String(instance), ...shown.map((e) => score(e, at))]),
  );
  const judged = (s.judged?.judgements ?? []).map((j) =>
    row([escaped(j.method), name(j.class), signed(j.values.aopc_r), plain(j.values.r2, 2)]),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title)}</title><style>${style}</style></head><body>
<h1>${escaped(title)}</h1>
<p class="quiet">${escaped(say.made(s.version))} <strong>${escaped(say.notDiagnosis)}</strong></p>
<h2>${escaped(say.prediction)}</h2>
<p>${escaped(say.of(s.bag.instances, s.out.length))}</p>
<table>${row([say.class, say.value], true)}${s.prediction.prediction.map((p, c) => row([name(c), escaped(probability ? percent(p) : value(p, false))])).join('')}</table>
<h2>${escaped(say.explanation)}</h2>
<p>${escaped(s.title)}: ${name(s.faced)}</p>
<p><img src="${s.picture}" alt="${escaped(`${s.title}: ${s.classes[s.faced] ?? ''}`)}"></p>
${s.legend ? legendHTML(s.legend, s.palette) : ''}
${strongest.length > 0 ? `<h3>${escaped(say.strongest)}</h3><ul class="thumbs">${strongest.join('')}</ul>` : ''}
${judged.length > 0 ? `<h2>${escaped(say.faithful)}</h2><table>${row([say.method, say.class, 'AOPC-R', 'R²'], true)}${judged.join('')}</table>` : ''}
<h2>${escaped(say.how)}</h2>
<dl><dt>${say.model}</dt><dd>${escaped(s.model.name)}, ${say.hash} <code>${escaped(s.model.sha256)}</code></dd>
${s.data.map((d) => `<dt>${say.data}</dt><dd>${escaped(d.name)}${d.sha256 ? `, ${say.hash} <code>${d.sha256}</code>` : ''}</dd>`).join('\n')}
<dt>${say.method}</dt><dd>${escaped(s.title)}${settings.length > 0 ? `: ${settings.join(', ')}` : ''}</dd>
<dt>${say.seed}</dt><dd>${String(s.report.seed)}</dd></dl>
${s.notes.length > 0 ? `<h3>${say.notes}</h3><ul>${s.notes.map((t) => `<li>${escaped(t)}</li>`).join('')}</ul>` : ''}
<h2>${escaped(say.table)}</h2>
<table>${row([say.instance, ...shown.map((e) => name(e.class))], true)}${table.join('')}</table>
</body></html>
`;
}
