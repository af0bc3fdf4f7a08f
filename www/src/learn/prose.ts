// Sentences with marks in them, as src/strings/ writes them: "A <dfn>coalition</dfn> is a part of the bag".

/** A piece of a sentence, in an element where it is marked. */
export interface Run {
  words: string;
  tag?: string;
  attributes?: Record<string, string>;
}

const marks: Record<string, Omit<Run, 'words'>> = {
  em: { tag: 'em' },
  strong: { tag: 'strong' },
  dfn: { tag: 'dfn' },
  cite: { tag: 'cite' },
  sub: { tag: 'sub' },
  sup: { tag: 'sup' },
  plus: { tag: 'span', attributes: { class: 'support' } },
  minus: { tag: 'span', attributes: { class: 'refute' } },
  look: { tag: 'a', attributes: { href: 'look/' } },
  mean: { tag: 'a', attributes: { href: 'look/?example=mi-net' } },
  graph: { tag: 'a', attributes: { href: 'look/?example=mi-gnn' } },
  embed: { tag: 'a', attributes: { href: 'embed/' } },
};

/** Takes a text apart. What is between marks that nobody knows stays as it is. */
export function runs(text: string): Run[] {
  const out: Run[] = [];
  let end = 0;
  for (const m of text.matchAll(/<(\w+)>([^<]*)<\/\1>/g)) {
    const mark = marks[m[1]!];
    if (!mark) continue;
    if (m.index > end) out.push({ words: text.slice(end, m.index) });
    out.push({ words: m[2]!, ...mark });
    end = m.index + m[0].length;
  }
  if (end < text.length) out.push({ words: text.slice(end) });
  return out;
}
