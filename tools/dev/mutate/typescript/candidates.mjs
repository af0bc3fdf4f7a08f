// Lists the mutants of the functions of TypeScript files: node candidates.mjs FILES... The list has
// the form that foreign.go describes. A mutant's "where" is the offset at which a statement runs
// whenever the block of the change does.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const ts = createRequire(new URL('../../../../www/package.json', import.meta.url))('typescript');
const K = ts.SyntaxKind;

/** What replaces an operator. */
const swaps = new Map([
  [K.LessThanToken, ['compare', '<=', '>=']],
  [K.LessThanEqualsToken, ['compare', '<', '>']],
  [K.GreaterThanToken, ['compare', '>=', '<=']],
  [K.GreaterThanEqualsToken, ['compare', '>', '<']],
  [K.EqualsEqualsEqualsToken, ['equality', '!==']],
  [K.ExclamationEqualsEqualsToken, ['equality', '===']],
  [K.EqualsEqualsToken, ['equality', '!=']],
  [K.ExclamationEqualsToken, ['equality', '==']],
  [K.AmpersandAmpersandToken, ['logic', '||']],
  [K.BarBarToken, ['logic', '&&']],
  [K.PlusToken, ['arithmetic', '-']],
  [K.MinusToken, ['arithmetic', '+']],
  [K.AsteriskToken, ['arithmetic', '/']],
  [K.SlashToken, ['arithmetic', '*']],
  [K.PercentToken, ['arithmetic', '*']],
  [K.LessThanLessThanToken, ['arithmetic', '>>']],
  [K.GreaterThanGreaterThanToken, ['arithmetic', '<<']],
  [K.AmpersandToken, ['arithmetic', '|']],
  [K.BarToken, ['arithmetic', '&']],
]);

/** What a function returns at once, by the annotation of its result. */
const empty = new Map([
  ['number', '0'],
  ['string', "''"],
  ['boolean', 'false'],
  ['void', ''],
]);

/** The changes of a node: its operator's name, where text replaces the source, and what is shown. */
function* changes(node, file) {
  const at = (n) => n.getStart(file);
  const { parent } = node;
  if (ts.isBinaryExpression(node)) {
    const { operatorToken: token } = node;
    const [name, ...others] = swaps.get(token.kind) ?? [];
    for (const other of others) yield [name, at(token), token.end, other, node];
  } else if (ts.isPrefixUnaryExpression(node)) {
    const minus = node.operator === K.MinusToken && !ts.isNumericLiteral(node.operand);
    if (minus || node.operator === K.ExclamationToken)
      yield ['negation', at(node), at(node) + 1, '', node];
  } else if (ts.isNumericLiteral(node) && parent.name !== node) {
    const shown = ts.isExpression(parent) ? parent : node;
    for (const text of constants(Number(node.text), ts.isPrefixUnaryExpression(parent)))
      yield ['constant', at(node), node.end, text, shown];
  } else if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword) {
    yield ['constant', at(node), node.end, String(node.kind === K.FalseKeyword), parent];
  } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = node.expression ?? node.condition;
    const guard = ts.isIfStatement(node) && !node.elseStatement && leaves(node.thenStatement);
    const never = `((${condition.getText(file)}) && false)`;
    yield [guard ? 'guard' : 'branch', at(condition), condition.end, never, condition];
  } else if (ts.isExpressionStatement(node)) {
    const inner = ts.isAwaitExpression(node.expression)
      ? node.expression.expression
      : node.expression;
    const name = dropped(inner);
    if (name) yield [name, at(node), node.end, ';', node];
  }
}

/** What is lost if the statement of an expression is left out; nothing for a constructor's call. */
function dropped(expression) {
  if (ts.isCallExpression(expression))
    return expression.expression.kind === K.SuperKeyword ? '' : 'call';
  if (ts.isBinaryExpression(expression) && ts.isAssignmentOperator(expression.operatorToken.kind))
    return 'assignment';
  return ts.isPostfixUnaryExpression(expression) || ts.isPrefixUnaryExpression(expression)
    ? 'assignment'
    : '';
}

/** One more and 0 of an integer, a tenth more of another number; there is no negative 0. */
function constants(value, signed) {
  if (!Number.isInteger(value)) return [String(value * 1.1)];
  return value && !signed ? [String(value + 1), '0'] : [String(value + 1)];
}

/** Whether a statement ends by leaving the function or the loop. */
function leaves(statement) {
  const last = ts.isBlock(statement) ? statement.statements.at(-1) : statement;
  return [K.ReturnStatement, K.ThrowStatement, K.BreakStatement, K.ContinueStatement].includes(
    last?.kind,
  );
}

/** The name of the outermost function around a node, with that of its class; '' outside. */
function nameOf(node) {
  let name = '';
  for (let n = node; n; n = n.parent) {
    if (ts.isFunctionLike(n))
      name = n.name?.getText() ?? n.parent.name?.getText() ?? (name || 'function');
    if (ts.isClassLike(n) && name) name = `${n.name?.text ?? 'class'}.${name}`;
  }
  return name;
}

/** Where a statement runs whenever the innermost block around a node does. */
function blockStart(node, file) {
  for (let n = node.parent; n; n = n.parent) {
    if (ts.isBlock(n)) return n.getStart(file) + 1;
    if (ts.isCaseOrDefaultClause(n) && n.statements.length) return n.statements[0].getStart(file);
  }
  return -1;
}

/** Code as one line of up to 100 characters. */
function line(code) {
  const text = code.split(/\s+/).join(' ').trim();
  return text.length <= 100 ? text : text.slice(0, 99) + '…';
}

function* mutants(path) {
  const source = readFileSync(path, 'utf8');
  const bytes = (to) => Buffer.byteLength(source.slice(0, to));
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const entry = (operator, from, to, text, shown, summary, node) => ({
    file: path,
    line: file.getLineAndCharacterOfPosition(shown.getStart(file)).line + 1,
    function: nameOf(node),
    operator,
    shown: summary,
    begin: bytes(from),
    end: bytes(to),
    text,
    where: bytes(Math.max(0, blockStart(node, file))),
  });
  function* visit(node) {
    if (ts.isTypeNode(node) || ts.isThrowStatement(node) || ts.isImportDeclaration(node)) return;
    if (ts.isFunctionLike(node) && node.body && ts.isBlock(node.body)) {
      const result = node.type?.getText(file) ?? '';
      const value = result.endsWith('[]') ? '[]' : empty.get(result);
      const first = node.body.statements[0];
      if (value !== undefined && first) {
        const text = `if (true as boolean) return ${value};`.replace(' ;', ';');
        const at = node.body.getStart(file) + 1;
        yield entry('early return', at, at, text, node, `→ return ${value}`.trim(), first);
      }
    }
    if (blockStart(node, file) >= 0 && nameOf(node))
      for (const [operator, from, to, text, shown] of changes(node, file)) {
        const before = source.slice(shown.getStart(file), from);
        const after = before + text + source.slice(to, shown.end);
        const summary = `${line(shown.getText(file))} → ${line(after)}`;
        yield entry(operator, from, to, text, shown, summary, node);
      }
    const children = [];
    ts.forEachChild(node, (child) => void children.push(child));
    for (const child of children) yield* visit(child);
  }
  yield* visit(file);
}

process.stdout.write(JSON.stringify(process.argv.slice(2).flatMap((path) => [...mutants(path)])));
