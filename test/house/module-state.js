const path = require('node:path');
const ts = require('typescript');

/** What only saves work: it holds nothing that a test, or a second service in this process, would miss or find too much. */
const CACHES = new Set([
  'case-variants.ts variantsOf',
  'content-buffer.ts kept',
  'formats.ts formats',
  'page.ts template',
  'translator.ts compiled',
  'translator.ts handlebars',
]);

const CHANGES = /^(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)$/;

/**
 * Variables of modules of `src/common` and `src/integrations/mail` that functions change: a `Map`, `Set` or array, or a `let`.
 * Notes on objects (`WeakMap`, `WeakSet`) are none: they go with what they are about.
 *
 * @param {ReturnType<typeof import('./source-program.js').sourceProgram>} source
 * @returns {string[]} `<file> <name>`
 */
function moduleState({ program, files, pathOf }) {
  const checker = program.getTypeChecker();
  return files
    .filter((file) => /^src\/(common|integrations\/mail)\//.test(pathOf(file)))
    .flatMap((file) => changedVariables(file, checker).map((name) => `${pathOf(file)} ${name}`))
    .filter((variable) => !CACHES.has(path.basename(variable)));
}

function changedVariables(file, checker) {
  const statements = file.statements.filter((statement) => ts.isVariableStatement(statement));
  const variables = statements.flatMap(({ declarationList }) => [...declarationList.declarations]);
  const symbols = new Map(
    variables.filter(mayChange).map(({ name }) => [checker.getSymbolAtLocation(name), name.text]),
  );
  const changed = new Set();
  const visit = (node, isInFunction) => {
    if (isInFunction && ts.isIdentifier(node) && isChanged(node))
      changed.add(symbols.get(checker.getSymbolAtLocation(node)));
    ts.forEachChild(node, (child) => visit(child, isInFunction || ts.isFunctionLike(node)));
  };
  if (symbols.size > 0) visit(file, false);
  return [...changed].filter((name) => name !== undefined);
}

function mayChange({ name, initializer, parent }) {
  if (!ts.isIdentifier(name)) return false;
  if (parent.flags & ts.NodeFlags.Let) return true;
  if (!initializer) return false;
  return ts.isArrayLiteralExpression(initializer) || /^new (Map|Set)\b/.test(initializer.getText());
}

/** `name = …`, `name[…] = …`, `name += …`, `name.push(…)` */
function isChanged(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node && CHANGES.test(parent.name.text);
  const target = ts.isElementAccessExpression(parent) && parent.expression === node ? parent : node;
  const user = target.parent;
  if (ts.isPrefixUnaryExpression(user) || ts.isPostfixUnaryExpression(user)) return true;
  return ts.isBinaryExpression(user) && user.left === target && isAssignment(user.operatorToken.kind);
}

const isAssignment = (kind) => kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

module.exports = { moduleState };
