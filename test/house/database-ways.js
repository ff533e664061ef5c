const path = require('node:path');
const ts = require('typescript');

/** The functions and classes of `src/database` by which others ask it, by the way that they are. */
const OWN = new Map([
  ...['insertRow', 'insertRows', 'insertBatch', 'updateRows', 'updateReturning'].map((name) => [name, 'row statement']),
  ...['addToCounters', 'addSumsToCounters', 'execute'].map((name) => [name, 'row statement']),
  ...['RowQuery', 'findRows'].map((name) => [name, 'row query']),
  ...['runStatement', 'runForRow', 'readApart', 'readRows'].map((name) => [name, 'SQL']),
]);

/** Methods of TypeORM's managers and repositories, with those of others that are called the same. */
const TYPEORM =
  /^(find\w*|count\w*|exists\w*|insert|update\w*|delete\w*|save|upsert|increment|decrement|restore|remove|soft\w+|sum|query|createQueryBuilder)$/;

/**
 * By which ways each file of the modules and integrations asks the database: `TypeORM` (managers and repositories),
 * `query builder`, `row statement`, `row query` and `SQL`.
 *
 * @param {ReturnType<typeof import('./source-program.js').sourceProgram>} source
 * @returns {{file: string, ways: string[]}[]} files that ask it, by their paths from the root
 */
function databaseWays({ program, files, pathOf }) {
  const checker = program.getTypeChecker();
  return files
    .map((file) => ({ file, name: pathOf(file) }))
    .filter(({ name }) => /^src\/(modules|integrations)\//.test(name))
    .map(({ file, name }) => ({ file: name, ways: [...waysIn(file, checker)].sort() }))
    .filter(({ ways }) => ways.length > 0);
}

function waysIn(file, checker) {
  const ways = new Set();
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    // To ask the checker for every name would take half a minute.
    if (ts.isIdentifier(node) && (OWN.has(node.text) || (TYPEORM.test(node.text) && isMember(node)))) {
      let symbol = checker.getSymbolAtLocation(node);
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      const way = symbol?.declarations?.map((declaration) => wayOf(declaration, node.text)).find(Boolean);
      if (way) ways.add(way);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return ways;
}

function wayOf(declaration, name) {
  const { fileName } = declaration.getSourceFile();
  if (/\/src\/database\//.test(fileName)) return OWN.get(name);
  if (!/\/typeorm\//.test(fileName) || !/^(EntityManager|.*Repository)\.d\.ts$/.test(path.basename(fileName)))
    return undefined;
  return { createQueryBuilder: 'query builder', query: 'SQL' }[name] ?? 'TypeORM';
}

const isMember = (node) => ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;

module.exports = { databaseWays };
