import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import ts from 'typescript';
import { exportsOf, SOURCE, sourceFiles } from '../support/project-files';

/**
 * The exports of modules for each other. `.dependency-cruiser.js` enforces that they import nothing else; this test
 * covers the exports.
 */
describe('the public API file of a module', () => {
  const doors = sourceFiles('.api.ts').filter((path) => path.startsWith('modules/'));
  let entities: Set<unknown>;

  beforeAll(async () => {
    await exportsOf('.entity.ts');
    entities = new Set(getMetadataArgsStorage().tables.map(({ target }) => target));
  });

  it('is found by this test', () => {
    expect(doors).toContain('modules/user/user.api.ts');
    expect(entities.size).toBeGreaterThan(5);
  });

  it.each(doors)('%s exports no entity, under any name or as a type', async (door) => {
    const shown = await exportsOf([door]);
    expect(shown.filter((value) => entities.has(value))).toEqual([]);
    expect(namesIn(door).filter((name) => name.endsWith('Entity'))).toEqual([]);
  });

  it.each(doors)('%s lists its exports by name', (door) => {
    const statements = statementsOf(door);
    expect(statements.filter((statement) => !isNamedExport(statement)).map((other) => other.getText())).toEqual([]);
  });
});

/** The names of everything that the file re-exports, in the other file and here. */
function namesIn(path: string): string[] {
  return statementsOf(path)
    .filter(isNamedExport)
    .flatMap(({ exportClause: { elements } }) =>
      elements.flatMap(({ name, propertyName }) => [name.text, propertyName?.text ?? name.text]),
    );
}

type NamedExport = ts.ExportDeclaration & { exportClause: ts.NamedExports };

function isNamedExport(statement: ts.Statement): statement is NamedExport {
  return ts.isExportDeclaration(statement) && !!statement.exportClause && ts.isNamedExports(statement.exportClause);
}

function statementsOf(path: string): ts.Statement[] {
  const text = readFileSync(join(SOURCE, path), 'utf8');
  return [...ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements];
}
