// What the columns of a table hold: the rules that the user states by a form, as the engine's option
// `columns` has them.
import { bagFormats, type FileLike } from 'bagscope';
import type { BagSource } from './types';

/** Roles of which one column of a table has each; any number of columns can have the others. */
const single = ['bag', 'name', 'label', 'instance_label', 'x', 'y', 'width', 'height'];

/** The roles that a user can state, in the order of the form. */
export const roles = ['feature', 'skip', ...single] as const;

const endings = ['.txt', ...(bagFormats.find((f) => f.name === '.csv')?.endings ?? [])];

/** The only table of text among the files of a source, by its name; null if there is none. */
export function tableOf({ files }: BagSource): FileLike | null {
  const tables = files.filter(({ name }) =>
    endings.some((ending) => name.toLowerCase().replace(/\.gz$/, '').endsWith(ending)),
  );
  return tables.length === 1 ? tables[0]! : null;
}

/** Rules with one more, which counts before the others; those that it replaces are left out. */
export function withRule(rules: string, label: string, role: string): string {
  const kept = rules.split(/[;\n]/).flatMap((text) => {
    const at = text.lastIndexOf('=');
    const [name, own] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    const replaced = name === label || (single.includes(role) && own === role);
    return text.trim() === '' || replaced ? [] : [text.trim()];
  });
  return [`${label}=${role}`, ...kept].join('; ');
}
