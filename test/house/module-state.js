const path = require('node:path');
const ts = require('typescript');
const { ROOT } = require('../spec-files.js');

const FOLDERS = ['src/common', 'src/integrations/mail'];

/** Caches: they contain nothing that would affect a test or a second service in this process. */
const CACHES = new Set([
  'body-memory.ts kept',
  'text-pattern.ts foldedTo',
  'page.ts template',
  'translator.ts compiled',
  'translator.ts formats',
  'translator.ts handlebars',
]);

const CHANGES = /^(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)$/;

/**
 * Module variables in `src/common` and `src/integrations/mail` that functions change: a `Map`, `Set` or array, or a
 * `let`. `WeakMap` and `WeakSet` do not count, because their entries are collected with their keys.
 *
 * @param {string} root the folder with `tsconfig.json` and `src`
 * @returns {string[]} `<file> <name>`
 */
function moduleState(root = ROOT) {
  const { program, files } = programOf(root);
  const checker = program.getTypeChecker();
  const pathOf = ({ fileName }) => path.relative(root, fileName);
  return files
    .flatMap((file) => changedVariables(file, checker).map((name) => `${pathOf(file)} ${name}`))
    .filter((variable) => !CACHES.has(path.basename(variable)));
}

/** The folders without their tests, as the compiler knows them. Nothing is checked, so that this takes few seconds. */
function programOf(root) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => fail(messageText) };
  const { options } = ts.getParsedCommandLineOfConfigFile(path.join(root, 'tsconfig.json'), { types: ['node'] }, host);
  const names = FOLDERS.map((folder) => path.join(root, folder))
    .filter(ts.sys.directoryExists)
    .flatMap((folder) => ts.sys.readDirectory(folder, ['.ts']))
    .filter((name) => !name.endsWith('.spec.ts'));
  const program = ts.createProgram(names, options);
  const own = new Set(names);
  return { program, files: program.getSourceFiles().filter(({ fileName }) => own.has(fileName)) };
}

function fail(why) {
  throw new Error(ts.flattenDiagnosticMessageText(why, '\n'));
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
