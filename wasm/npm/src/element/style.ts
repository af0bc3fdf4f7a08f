/** The style of the element: a constructed sheet, which a strict Content-Security-Policy allows. */

import { colours, type PaletteName, paletteNames } from "../colours.js";

/** The colours of words for and against. */
function words(name: PaletteName): string {
  const { light, dark } = colours[name];
  return `  --support: var(--bag-support, light-dark(${light.supportText}, ${dark.supportText}));
  --refute: var(--bag-refute, light-dark(${light.refuteText}, ${dark.refuteText}));
`;
}

const text = `
:host {
  display: block;
  container-type: inline-size;
  --ink: var(--bag-ink, light-dark(#1c1d20, #eceae4));
  --quiet: var(--bag-quiet, light-dark(#5c5d63, #a8a9ae));
  --paper: var(--bag-paper, light-dark(#ffffff, #14171c));
  --line: var(--bag-line, light-dark(#dedbd2, #33383f));
  --accent: var(--bag-accent, light-dark(#2f4bb8, #a3b4ff));
${words(paletteNames[0])}  --radius: var(--bag-radius, 10px);
  font: var(--bag-font, 15px/1.45 system-ui, sans-serif);
  color: var(--ink);
}
:host([hidden]) { display: none; }
:host([colours="green-red"]) {
${words("green-red")}}
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
figure {
  margin: 0;
  padding: var(--bag-padding, 14px);
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
}
/* Its colour changes with the scheme of the page, for whatever reason that changes, and its transition tells. */
.scheme { display: block; height: 0; color: light-dark(#000, #fff); transition: color 1ms; }
.stage { position: relative; min-height: 60px; overflow-x: auto; }
.paper { position: relative; margin: 0 auto; max-width: 100%; }
canvas { display: block; width: 100%; height: auto; border-radius: 4px; }
[hidden] { display: none !important; }
.live .paper { cursor: pointer; touch-action: manipulation; }
.lit { position: absolute; pointer-events: none; border-radius: 2px; box-shadow: 0 0 0 1px var(--paper), 0 0 0 3px var(--ink); }
.hovered { position: absolute; pointer-events: none; border-radius: 2px; box-shadow: 0 0 0 1px var(--paper), 0 0 0 3px var(--ink); opacity: 0.5; }
.cursor { position: absolute; padding: 0; border: 0; background: none; pointer-events: none; }
.cursor:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.prediction { display: grid; gap: 4px; margin: 0 0 12px; padding: 0; list-style: none; }
.prediction li { display: grid; grid-template-columns: minmax(6em, 13em) minmax(3em, 1fr) 5em; gap: 10px; align-items: center; }
@container (max-width: 26em) { .prediction li { grid-template-columns: 1fr 5em; } .bar { grid-row: 2; grid-column: 1 / -1; } }
.prediction .name { overflow-wrap: anywhere; }
.prediction .value { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
.prediction .top { font-weight: 600; }
.bar { display: block; height: 10px; border-radius: 5px; background: var(--line); overflow: hidden; }
.length { display: block; height: 100%; background: var(--accent); }
.title { margin: 0 0 6px; font-weight: 600; font-size: .95em; color: var(--quiet); }
.controls { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; margin: 0 0 12px; }
select, button {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: 8px;
  padding: 5px 10px; min-height: 36px;
}
select:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.trust { margin: 4px 0 8px; font-size: .93em; color: var(--quiet); }
.status { margin: 8px 0 0; min-height: 1.45em; font-size: .93em; color: var(--quiet); }
.problem { margin: 8px 0 0; color: var(--refute); overflow-wrap: anywhere; }
details { margin-top: 8px; font-size: .93em; }
summary { cursor: pointer; color: var(--quiet); }
.scroll { overflow: auto; max-height: 20em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: start; color: var(--quiet); padding: 6px 0; }
th, td { padding: 3px 10px; text-align: end; border-top: 1px solid var(--line); font-weight: 400; }
thead th { position: sticky; top: 0; background: var(--paper); font-weight: 600; }
tfoot th, tfoot td { color: var(--quiet); }
.support { color: var(--support); }
.refute { color: var(--refute); }
tr.out th, tr.out td { opacity: .55; text-decoration: line-through; }
::slotted([slot="caption"]) { display: block; margin-top: 10px; font-size: .93em; color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media print { .controls, details:not([open]), .status { display: none; } figure { break-inside: avoid; } }
`;

const sheets = new WeakMap<Document, CSSStyleSheet[]>();

/** Returns the sheet that all elements of a document share; none if no window shows it. */
export function styles(of: Document): CSSStyleSheet[] {
  let known = sheets.get(of);
  if (!known) {
    const view = of.defaultView as (Window & typeof globalThis) | null;
    if (!view) return [];
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(of, (known = [sheet]));
  }
  return known;
}
