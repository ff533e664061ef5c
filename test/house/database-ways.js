'use strict';

const { readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const ts = require('typescript');

const ROOT = join(__dirname, '../..');

/** Functions of `database/statements` that complete a query of TypeORM's builder. */
const FOR_BUILDERS = new Set(['sortedRows', 'nextRows', 'matchesText', 'lockForClaim', 'firstColumn']);

const OF_REPOSITORIES =
  /^(find\w*|count\w*|exists\w*|insert|update\w*|delete|softDelete|restore|save|remove|increment|decrement|upsert|sum|average|minimum|maximum|create|merge|preload|clear)$/;

/**
 * The files outside `src/database` that read or write rows, and how: with the functions of `database/statements`,
 * TypeORM's repositories, its query builder, or raw SQL through TypeORM. Each file should use one way.
 *
 * @returns {{ file: string, ways: ('statements' | 'repository' | 'builder' | 'raw')[] }[]}
 */
function databaseWays(root = ROOT) {
  const source = join(root, 'src');
  return readdirSync(source, { recursive: true })
    .map((name) => relative(root, join(source, name)))
    .filter((file) => /\.ts$/.test(file) && !/\.spec\.ts$|^src\/database\//.test(file))
    .sort()
    .map((file) => ({ file, ways: waysOf(readFileSync(join(root, file), 'utf8')) }))
    .filter(({ ways }) => ways.length > 0);
}

/** The files that use several ways. */
function mixedWays(root) {
  return databaseWays(root).filter(({ ways }) => ways.length > 1);
}

function waysOf(text) {
  const ways = new Set();
  const repositories = new Set();
  const visit = (node) => {
    if (ts.isImportDeclaration(node) && /\/database\/statements\//.test(node.moduleSpecifier.text)) {
      for (const name of importedValues(node)) {
        if (!FOR_BUILDERS.has(name)) ways.add('statements');
      }
    } else if (ts.isVariableDeclaration(node) && isRepository(node.initializer, repositories)) {
      repositories.add(node.name.getText());
    } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: owner, name } = node.expression;
      if (name.text === 'createQueryBuilder') ways.add('builder');
      else if (name.text === 'query' && isManager(owner)) ways.add('raw');
      else if (OF_REPOSITORIES.test(name.text) && (isManager(owner) || isRepository(owner, repositories))) {
        ways.add('repository');
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true));
  return [...ways].sort();
}

function importedValues({ importClause }) {
  if (importClause === undefined || importClause.isTypeOnly) return [];
  const { elements = [] } = importClause.namedBindings ?? {};
  return elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text);
}

/** `manager`, `this.database.manager`, `dataSource` … */
function isManager(node) {
  return /(^|\.)(manager|dataSource|queryRunner|runner)$/.test(node.getText());
}

/** `database.repository(Entity)`, or a constant with that. */
function isRepository(node, known) {
  if (node === undefined) return false;
  if (ts.isIdentifier(node)) return known.has(node.text);
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    /^(repository|getRepository)$/.test(node.expression.name.text)
  );
}

module.exports = { databaseWays, mixedWays, waysOf };
