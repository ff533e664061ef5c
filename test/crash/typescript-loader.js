const Module = require('node:module');
const path = require('node:path');
const { transformFileSync } = require('@swc/core');

const SOURCES = path.resolve(__dirname, '../../src') + path.sep;
const BUILT = path.resolve(__dirname, '../../dist') + path.sep;

/** Lets `node -r` run the TypeScript sources of the tests, and the built service. */
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  module._compile(code, filename);
};

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...others) => {
  const file = path.resolve(path.dirname(parent?.filename ?? ''), request);
  const name = request.startsWith('.') && file.startsWith(SOURCES) ? BUILT + file.slice(SOURCES.length) : request;
  return resolveFilename(name, parent, ...others);
};
