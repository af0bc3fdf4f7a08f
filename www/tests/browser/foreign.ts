// Texts of a page that are in English though the page is in the language of tests/language.
import { methodOptions, methodTitles, readOptions, settingsTitles } from 'bagscope';
import type { Page } from 'playwright-core';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What the engine declares: names of methods and data sets, options with their help. */
const declared = [
  ...Object.entries(methodTitles).flat(),
  ...Object.entries(settingsTitles).flat(),
  ...[...readOptions, ...methodOptions].flatMap((o) => [
    ...[o.title, o.help, o.standard, o.flag],
    ...('choices' in o ? (o.choices ?? []).flatMap(({ word, title }) => [word, title]) : []),
  ]),
]
  .filter((text) => /[A-Za-z]{2}/.test(text))
  .sort((a, b) => b.length - a.length)
  .map(escaped);

/** What else is in English in every language, each with its reason. */
const allowed = [
  // The engine's sentences about a result.
  /(Removing|Keeping) the highest scores first .*$/,
  /the model has no output with scores of its own for the instances/,
  /(n, or )?up to \d+k \+ \d+/,
  /version \d+/,
  /log-odds|probability/,
  // Names in the bundled models and bags.
  /neither 8 nor 9|an 8 and a 9|an 8|a 9|no gland|gland|sound|running hot|worn bearing|hot and worn/,
  /bag \d+: .*$/,
  /float32|logits|attention|instances|\bbag\b/,
  // Operators of ONNX.
  /\b(Constant|Conv|Flatten|Gemm|MatMul|MaxPool|Relu|Softmax|Squeeze|Tanh|Transpose)\b/,
  // Names of files, of the project and of generators, units, SHA-256.
  /[\w./-]+\.(onnx|npz|png|html|js|mjs|yml)\b/,
  /\bbagscope\b|Apache-2\.0/,
  /\b(kB|MB|GiB|ms)\b/,
  /\b[0-9a-f]{64}\b/,
  // The word of the bundled card for an instance.
  /\bdigits?\b/,
].map(({ source }) => source);

/** Attributes that are shown or read out. */
const attributes = 'aria-label title alt placeholder label content aria-valuetext aria-description';

/**
 * The texts within an element of the page that are in English and not of the list above. Parts with
 * lang="en" say so themselves, and names of languages are in their own.
 */
export async function foreign(page: Page, within = 'html'): Promise<string[]> {
  const texts = await page.locator(within).evaluate((root, attributes) => {
    const found = new Set<string>();
    const visit = (node: Node): void => {
      if (node instanceof Text) found.add(node.data);
      if (node instanceof Element) {
        if (node.matches('script, style, pre, code, math, [lang="en"], [hreflang]')) return;
        if (!node.matches('meta:not([name="description"])'))
          for (const name of attributes.split(' ')) found.add(node.getAttribute(name) ?? '');
        if (node.shadowRoot) node.shadowRoot.childNodes.forEach(visit);
      }
      node.childNodes.forEach(visit);
    };
    visit(root);
    return [...found];
  }, attributes);
  const known = new RegExp([...declared, ...allowed].join('|'), 'g');
  return texts
    .map((text) => text.trim())
    .filter((text) => /[A-Za-z]{2}/.test(text.replace(known, '')));
}
