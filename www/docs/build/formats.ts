// The page of file formats, from the lists that the engine declares.
import { bagFormats } from '../../../wasm/npm/src/formats.ts';
import { readOptions } from '../../../wasm/npm/src/readoptions.ts';
import { cell } from './commands.ts';

export function formats(): string {
  return [
    '# File formats',
    'A bag is read from one of these files, with or without gzip. The content decides, and the ' +
      'ending where a format has no signature. [Model cards](card.html) state what a model file ' +
      'cannot.',
    '## Bags',
    table(
      ['format', 'endings', 'holds'],
      bagFormats.map(({ name, endings, summary }) => [
        name,
        endings.map((e) => `\`${e}\``).join(', '),
        summary,
      ]),
    ),
    '## Options of reading',
    'They are flags of the command line, keys of requests, options of the npm package and ' +
      'attributes of the element.',
    table(
      ['option', 'meaning', 'default'],
      readOptions.map(({ flag, help, standard }) => [`\`${flag}\``, help, standard]),
    ),
    '## Models',
    'ONNX files of operator sets 7 to 27, with tensors in the file or in files beside it. ' +
      '`bagscope inspect` prints what was found in one.',
    '## Slides',
    'Aperio (`.svs`), Hamamatsu (`.ndpi`), Leica (`.scn`), Ventana (`.bif`) and Philips, OME-TIFF, tiled TIFF and TIFF of bands, and Deep Zoom (`.dzi` beside its folder of tiles). ' +
      '[From slides](slides.html) shows the way from a slide to a map.',
  ].join('\n\n');
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
