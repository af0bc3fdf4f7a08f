// The page of the npm package's types, from the declarations that the package ships.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const entry = fileURLToPath(new URL('../../../wasm/npm/dist/index.d.ts', import.meta.url));

export function types(): string {
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} is missing; run make wasm`);
  const parts = checker.getExportsOfModule(module).flatMap((symbol) => {
    const known = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (known.declarations ?? []).slice(0, 1).map((d) => section(symbol.name, d));
  });
  return [
    '# Types of the npm package',
    'What `import { … } from "bagscope"` offers, as the package declares it. ' +
      '[The package’s page](../../wasm/npm/README.md) shows programs.',
    ...parts.sort((a, b) => a.localeCompare(b, 'en')),
  ].join('\n\n');
}

/** A heading, and the declaration with its comments. */
function section(name: string, declaration: ts.Declaration): string {
  const whole = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = whole
    .getFullText()
    .trim()
    .replace(/^export (declare )?/m, '');
  return `## ${name}\n\n\`\`\`ts\n${text}\n\`\`\``;
}
