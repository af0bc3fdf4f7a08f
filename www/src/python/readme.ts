// Tables of the Python package's documents, so that the page has no second copy of them.
import tried from '../../../tools/python/tests/exporters/architectures.md?raw';
import readme from '../../../tools/python/README.md?raw';

export interface Table {
  head: string[];
  rows: string[][];
}

/** The first table below a heading of the README, whose name is as it is there. */
export function table(heading: string): Table {
  const [, section] = readme.split(`\n## ${heading}\n`);
  const first = section && parse(section.split('\n## ')[0]!);
  if (!first) throw new Error(`the README has no table below "${heading}"`);
  return first;
}

/** Architectures of torchmil and MIL-Lab, each with the verdict on both exporters. */
export function architectures(): Table {
  const verdicts = new Map<string, Map<string, string>>();
  for (const [architecture, exporter, verdict] of parse(tried)!.rows) {
    const known = verdicts.get(architecture!) ?? new Map<string, string>();
    verdicts.set(architecture!, known.set(exporter!, verdict!));
  }
  const rows = [...verdicts].map(([architecture, known]) => [
    architecture,
    known.get('dynamo') ?? '',
    known.get('torchscript') ?? '',
  ]);
  return { head: ['architecture', 'torch.export', 'TorchScript'], rows };
}

/** The table of a text in Markdown that has one, or undefined. */
function parse(text: string): Table | undefined {
  const [head, rule, ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  return head && rule && { head, rows };
}
