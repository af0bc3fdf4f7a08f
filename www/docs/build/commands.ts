// The page of the commands, from what their help states (commands.json, which a Go test writes).
import { readFileSync } from 'node:fs';

interface Flag {
  name: string;
  letter?: string;
  value?: string;
  default?: string;
  help: string;
}
interface Command {
  name: string;
  short: string;
  long?: string;
  use: string;
  example?: string;
  flags?: Flag[];
}

/** A text as the cell of a table in Markdown. */
export const cell = (text: string) =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*').replace(/\s+/g, ' ');

const file = new URL('../commands.json', import.meta.url);

export function commands(): string {
  const list = JSON.parse(readFileSync(file, 'utf8')) as Command[];
  const summary = list.map(({ name, short }) => `| [\`${name}\`](#${name}) | ${cell(short)} |`);
  return [
    '# Commands',
    'Every command of `bagscope` prints this with `--help`. Results go to standard output, with ' +
      '`--json` as JSON. The exit code is 0 for success, 1 for a failure and 2 for wrong usage.',
    ['| command | what it does |', '| --- | --- |', ...summary].join('\n'),
    ...list.map(section),
  ].join('\n\n');
}

function section({ name, short, long, use, example, flags = [] }: Command): string {
  const parts = [`## ${name}`, `${cell(short)}.`];
  if (long && long !== short) parts.push(fenced(long));
  parts.push(fenced(use));
  if (example) parts.push(fenced(example));
  if (flags.length)
    parts.push(
      ['| flag | meaning | default |', '| --- | --- | --- |', ...flags.map(row)].join('\n'),
    );
  return parts.join('\n\n');
}

function row({ name, letter, value, default: standard, help }: Flag): string {
  const flag = [letter && `-${letter}`, `--${name}${value ? ` ${value}` : ''}`].filter(Boolean);
  return `| ${flag.map((text) => `\`${text}\``).join(', ')} | ${cell(help)} | ${standard ? `\`${cell(standard)}\`` : ''} |`;
}

const fenced = (text: string) => `\`\`\`\n${text.trim()}\n\`\`\``;
