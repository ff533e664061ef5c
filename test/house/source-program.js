const path = require('node:path');
const ts = require('typescript');
const { ROOT } = require('../spec-files.js');

/**
 * All of a project's `src` but its tests, as the compiler knows it. Nothing is checked, so that this takes a few seconds.
 *
 * @param {string} root the folder with `tsconfig.json` and `src`
 * @returns {{program: ts.Program, files: ts.SourceFile[], pathOf: (file: ts.SourceFile) => string}} `files` are those of
 *   `src`; `pathOf` is a path from the root
 */
function sourceProgram(root = ROOT) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => fail(messageText) };
  const { options } = ts.getParsedCommandLineOfConfigFile(path.join(root, 'tsconfig.json'), { types: ['node'] }, host);
  const names = ts.sys.readDirectory(path.join(root, 'src'), ['.ts']).filter((name) => !name.endsWith('.spec.ts'));
  const program = ts.createProgram(names, options);
  const own = new Set(names);
  const files = program.getSourceFiles().filter(({ fileName }) => own.has(fileName));
  return { program, files, pathOf: ({ fileName }) => path.relative(root, fileName) };
}

function fail(why) {
  throw new Error(ts.flattenDiagnosticMessageText(why, '\n'));
}

module.exports = { sourceProgram };
