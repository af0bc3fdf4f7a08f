// Tables of the Python package's README, so that the page has no second copy of them.
import readme from '../../../tools/python/README.md?raw';

export interface Table {
  head: string[];
  rows: string[][];
}

/** The first table below a heading of the README, whose name is as it is there. */
export function table(heading: string): Table {
  const [, section] = readme.split(`\n## ${heading}\n`);
  const lines = section
    ?.split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  if (!lines || lines.length < 3) throw new Error(`the README has no table below "${heading}"`);
  const [head, , ...rows] = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  return { head: head!, rows };
}
