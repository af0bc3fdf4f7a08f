// Rows of CSV files that spreadsheets show as text, as the command line writes them.
import { visible } from 'bagscope';

/** A number as the command line formats it. */
const number = /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|Inf)$/i;

/**
 * Where a spreadsheet could begin a formula: at the first character of a cell that is not a space or
 * a quote. Where the decimal sign is a comma, a semicolon begins a cell.
 */
const formula = /(^|;)(?=[\s\p{Z}'"]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/gu;

/** A text as a cell: in one visible line, an apostrophe before what could run as a formula. */
function quoted(text: string): string {
  const safe = number.test(text) ? text : visible(text).replace(formula, "$1'");
  return /^\s|[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row with its end of line. What is no finite number is empty. */
export const csvRow = (cells: readonly (string | number | boolean | null | undefined)[]): string =>
  cells
    .map((cell) => {
      if (typeof cell === 'string') return quoted(cell);
      return typeof cell === 'number' && !Number.isFinite(cell) ? '' : String(cell ?? '');
    })
    .join(',') + '\n';
