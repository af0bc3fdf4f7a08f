// The text that names concepts, as the command reads it. The page numbers instances from 1, and the
// engine from 0.

const itemsOf = (text: string) =>
  text
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean);

/**
 * Returns a text in which a concept has more instances; without one of this name, a new one. The
 * sign ~ stands for all that the model encodes as them.
 */
export function withInstances(
  text: string,
  name: string,
  instances: readonly number[],
  sign: '=' | '~' = '=',
): string {
  const items = itemsOf(text);
  const at = items.findIndex((item) => item.startsWith(name + sign));
  const list = instances.map((i) => i + 1).join(',');
  if (at < 0) items.push(name + sign + list);
  else items[at] += `,${list}`;
  return items.join('; ');
}

/** Returns a text whose instances have other numbers. */
const renumbered = (text: string, by: number): string =>
  text.replace(/[=~][^;]*/g, (list) => list.replace(/\d+/g, (n) => String(Number(n) + by)));

/** Returns a text with the numbers that the engine gives to instances. */
export const withIndices = (text: string): string => renumbered(text, -1);

/** Returns a text with concepts of the engine behind those that it has. */
export const withFound = (text: string, found: string): string =>
  [...itemsOf(text), renumbered(found, 1)].join('; ');

/** Returns the names of marked instances, by the numbers of the engine. */
export function namesIn(text: string, instances: number): Map<number, string> {
  const names = new Map<number, string>();
  for (const item of itemsOf(text)) {
    const [, name, list] = /^([^=~]*)[=~](.*)$/.exec(item) ?? [];
    for (const part of list?.split(',') ?? []) {
      const [first, last = first] = part.split('-').map(Number);
      for (let i = first!; i <= Math.min(last!, instances); i++)
        names.set(i - 1, names.has(i - 1) ? `${names.get(i - 1)}, ${name!.trim()}` : name!.trim());
    }
  }
  return names;
}

/** Returns a name without the signs that separate names from instances. */
export const plainName = (name: string): string => name.replace(/[=~;]/g, ' ').trim();
