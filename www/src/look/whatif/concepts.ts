// The text that names concepts, as the command reads it. The page numbers instances from 1, and the
// engine from 0.

/** Returns a text in which a concept has more instances; without one of this name, a new one. */
export function withInstances(text: string, name: string, instances: readonly number[]): string {
  const items = text
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean);
  const at = items.findIndex((item) => item.startsWith(`${name}=`));
  const list = instances.map((i) => i + 1).join(',');
  if (at < 0) items.push(`${name}=${list}`);
  else items[at] += `,${list}`;
  return items.join('; ');
}

/** Returns a text with the numbers that the engine gives to instances. */
export const withIndices = (text: string): string =>
  text.replace(/[=~][^;]*/g, (list) => list.replace(/\d+/g, (n) => String(Number(n) - 1)));

/** Returns a name without the signs that separate names from instances. */
export const plainName = (name: string): string => name.replace(/[=~;]/g, ' ').trim();
