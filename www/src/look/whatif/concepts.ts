// The text that names concepts, as the command reads it.

/** Returns a text in which a concept has more instances; without one of this name, a new one. */
export function withInstances(text: string, name: string, instances: readonly number[]): string {
  const items = text
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean);
  const at = items.findIndex((item) => item.startsWith(`${name}=`));
  const list = instances.join(',');
  if (at < 0) items.push(`${name}=${list}`);
  else items[at] += `,${list}`;
  return items.join('; ');
}

/** Returns a name without the signs that separate names from instances. */
export const plainName = (name: string): string => name.replace(/[=~;]/g, ' ').trim();
