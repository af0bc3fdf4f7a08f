const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Returns a text in one line of visible characters: newlines, control characters and characters that
 * change the direction of the text or have no width are escaped as in Go: \n, \x1b, \u202e. Names of
 * classes, files and bags come from files that others wrote; such a character could make a name look
 * like another.
 */
export function visible(text: string): string {
  return text.replace(hidden, escape);
}

function escape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0)!;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
