// Reads the names of options from the types, for the check of options.
import path from "node:path";
import ts from "typescript";
import { here } from "./program.mjs";

/** Returns the names of the fields of each exported interface of options, by its name. */
export function optionNames() {
  const program = ts.createProgram([path.join(here, "src/types.ts")], {
    target: ts.ScriptTarget.ES2022,
  });
  const checker = program.getTypeChecker();
  const [file] = program.getRootFileNames();
  const types = checker.getExportsOfModule(
    checker.getSymbolAtLocation(program.getSourceFile(file)),
  );
  const options = types.filter(({ name }) => /(Options|Limits)$/.test(name));
  return Object.fromEntries(
    options.map((type) => [
      type.name,
      checker
        .getDeclaredTypeOfSymbol(type)
        .getProperties()
        .map(({ name }) => name),
    ]),
  );
}
