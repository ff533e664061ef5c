const { readFileSync } = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

/**
 * `node compile-files.js <file>…` in a folder like the project's compiles these files of `src` into `dist` as `nest build`
 * does, with the options of `tsconfig.build.json` and the plugins of `nest-cli.json`, and checks their types against all
 * files that they import. What a build of everything takes is the time for the other files.
 */
function main(names) {
  const folder = process.cwd();
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(
    path.join(folder, 'tsconfig.build.json'),
    undefined,
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (fault) => fail([fault]),
    },
  );
  const sources = names.map((name) => path.join(folder, name));
  const declarations = fileNames.filter((name) => name.endsWith('.d.ts'));
  const program = ts.createProgram([...sources, ...declarations], options);
  const files = sources.map((name) => program.getSourceFile(name));
  const faults = ts.sortAndDeduplicateDiagnostics(files.flatMap((file) => ts.getPreEmitDiagnostics(program, file)));
  if (faults.length > 0) fail(faults);
  const { plugins } = JSON.parse(readFileSync(path.join(folder, 'nest-cli.json'), 'utf8')).compilerOptions;
  const before = plugins.map((plugin) => require(`${plugin.name}/plugin`).before(plugin.options, program));
  for (const file of files) program.emit(file, undefined, undefined, false, { before });
}

function fail(faults) {
  const host = { getCurrentDirectory: process.cwd, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(faults, host));
  process.exit(1);
}

main(process.argv.slice(2));
