// The pages of the documentation, in the order of its list. What other documents of the repository
// say is shown from there.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { docs as say } from '../../src/strings/index.ts';
import { commands } from './commands.ts';
import { formats } from './formats.ts';
import { http } from './http.ts';
import { types } from './types.ts';
import { type Sheet, worksheets } from './worksheets.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A page: its address without `.html`, and the Markdown that it shows. */
export interface Source {
  name: string;
  /** Its name in lists, if the document's own heading would not do. */
  label?: string;
  /** The file whose links are relative to it, from the root of the repository. */
  file: string;
  markdown: string;
}

const document = (name: string, file: string, label?: string): Source => ({
  name,
  label,
  file,
  markdown: readFileSync(root + file, 'utf8'),
});
const guide = (name: string) => document(name, `www/docs/${name}.md`);
const made = (name: string, markdown: string): Source => ({
  name,
  file: 'www/docs/index.md',
  markdown,
});

/** The groups of pages, each with a heading; with worksheets of bags. */
export function groups(sheets: readonly Sheet[]): { title: string; pages: Source[] }[] {
  return [
    {
      title: say.groups.guides,
      pages: ['first', 'held', 'pytorch', 'slides', 'bands', 'annotations']
        .concat(
          'qupath',
          'concepts',
          'vectors',
          'dicom',
          'spacing',
          'archive',
          'tables',
          'choosing',
          'folds',
          'reading',
          'embedding',
          'server',
          'proxy',
          'cohort',
          'gpu',
          'privacy',
        )
        .concat('teaching')
        .map(guide)
        .concat(worksheets(sheets)),
    },
    {
      title: say.groups.reference,
      pages: [
        made('commands', commands()),
        made('http', http()),
        made('types', types()),
        document('card', 'onnxbackend/README.md'),
        made('formats', formats()),
        document('methods', 'core/METHODS.md'),
      ],
    },
    {
      title: say.groups.manuals,
      pages: [
        document('npm', 'wasm/npm/README.md', say.labels.npm),
        document('python', 'tools/python/README.md', say.labels.python),
        document('serve', 'tools/service/server/README.md'),
        document('oip', 'tools/service/oip/README.md'),
        document('cohorts', 'tools/cohort/README.md'),
        document('device', 'onnxbackend/gpu/README.md'),
      ],
    },
  ];
}
