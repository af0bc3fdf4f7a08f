// What the first screen needs comes first: styles stand in the page itself, so that it is drawn
// from the first file that comes, and scripts, which bring to life what is there already, leave the
// line to pictures.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

const LINK = /\s*<link rel="stylesheet"[^>]*? href="([^"]+)"[^>]*>/g;
const SCRIPT = /<(script type="module"|link rel="modulepreload") crossorigin/g;
const STYLE = / style="([^"]*)"/g;
const POLICY = "style-src 'self'";

/** A source expression of a Content-Security-Policy that allows exactly this text. */
export const allowed = (text: string) =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A page whose style attributes, which its policy would not obey, are rules of a style sheet. */
function ruled(html: string): { page: string; rules: string[] } {
  const rules: string[] = [];
  const page = html.replace(STYLE, (_, text: string) => {
    if (text.includes('&'))
      throw new Error(`a style attribute that is more than plain text: ${text}`);
    const known = rules.indexOf(text);
    return ` data-style="${known < 0 ? rules.push(text) - 1 : known}"`;
  });
  return { page, rules: rules.map((text, i) => `[data-style="${i}"]{${text}}`) };
}

/**
 * Puts the style sheets that a page links into it, the hash of them into its policy, and its
 * scripts behind.
 */
export function firstScreen(): Plugin {
  const inlined = new Set<string>();
  return {
    name: 'first-screen',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!bundle) return;
        const sheets: string[] = [];
        const rest = html.replace(LINK, (_, href: string) => {
          const name = href.replace(/^(\.{1,2}\/)+/, '');
          const sheet = bundle[name];
          if (sheet?.type !== 'asset') throw new Error(`the build has no style sheet ${name}`);
          inlined.add(name);
          sheets.push(String(sheet.source).trim());
          return '';
        });
        if (sheets.length === 0) return;
        if (!rest.includes(POLICY)) throw new Error(`the page's policy has no ${POLICY}`);
        const { page, rules } = ruled(rest);
        const style = [...sheets, ...rules].join('\n');
        return page
          .replace(POLICY, `${POLICY} ${allowed(style)}`)
          .replace(SCRIPT, '$& fetchpriority="low"')
          .replace('</head>', () => `<style>${style}</style>\n  </head>`);
      },
    },
    generateBundle: {
      order: 'post',
      // A sheet that a script asks for, too, stays a file.
      handler(_, bundle) {
        const code = Object.values(bundle).map((file) => (file.type === 'chunk' ? file.code : ''));
        for (const name of inlined)
          if (!code.some((text) => text.includes(name.split('/').pop()!))) delete bundle[name];
      },
    },
  };
}
