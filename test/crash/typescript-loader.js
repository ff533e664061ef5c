const { transformFileSync } = require('@swc/core');

/** Lets `node -r` run the sources as they are, compiled as the tests compile them. */
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
  });
  module._compile(code, filename);
};
