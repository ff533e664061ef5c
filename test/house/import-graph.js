const path = require('node:path');
const ts = require('typescript');
const { filesIn, textOf } = require('./project-files.js');

/**
 * The imports between the sources of a folder, tests and migrations apart.
 *
 * @returns {Map<string, Map<string, string[]>>} by file, the files that it imports or exports from, and the names that it takes
 */
function importGraph(folder = 'src') {
  const files = filesIn(folder, /\.tsx?$/).filter(
    (file) => !/\.spec\.|\/database\/migrations\/|\/generated\//.test(file),
  );
  const known = new Set(files);
  return new Map(files.map((file) => [file, importsOf(file, known)]));
}

function importsOf(file, known) {
  const imports = new Map();
  for (const statement of ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest).statements) {
    const { moduleSpecifier } = statement;
    if (!moduleSpecifier?.text.startsWith('.')) continue;
    const whole = path.join(path.dirname(file), moduleSpecifier.text).replace(/\.[jt]sx?$/, '');
    const target = [`${whole}.ts`, `${whole}.tsx`].find((candidate) => known.has(candidate));
    if (target) imports.set(target, [...(imports.get(target) ?? []), ...namesIn(statement)]);
  }
  return imports;
}

/** The names as the other file has them. */
function namesIn({ importClause, exportClause }) {
  const { elements = [] } = importClause?.namedBindings ?? exportClause ?? {};
  return elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

module.exports = { importGraph };
