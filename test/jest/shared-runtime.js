const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/**
 * Loads the service and all libraries once per worker, through the `require` of Node, instead of once per test file
 * through jest's own registry: 2,800 modules take 3 seconds, more than the tests of most files. Only the test files and
 * `test/` are new for each file. The price: what a module of `src/` keeps in variables outlives the test file, and
 * `jest.mock()` cannot replace what `src/` imports. Tests inject instead.
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, ...rest) {
    super(config, environment, resolver, transformer, ...rest);
    this.sourceDirectory = path.join(config.rootDir, 'src') + path.sep;
    compileWith(transformer);
    // Test files run in the context of the process, so that their `Error` and `Array` are those of the service.
    this.executor.compile = (source, filename) =>
      vm.compileFunction(source, this.executor.injectedModuleParameters, { filename });
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName !== undefined && !options?.isInternalModule && !this._resolution.isCoreModule(moduleName)) {
      const file = this._resolution.resolveCjs(from, moduleName);
      if (this.isShared(file)) return require(file);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }

  isShared(file) {
    return file.startsWith(this.sourceDirectory) || file.includes(`${path.sep}node_modules${path.sep}`);
  }

  getSourceMaps() {
    return new Map([...sourceMaps, ...super.getSourceMaps()]);
  }

  // Jest would replace a function of the sandbox's process, which here is the real one.
  installGetBuiltinModule() {}
}

const sourceMaps = new Map();

/** Lets Node load TypeScript, compiled and cached as jest does. */
function compileWith(transformer) {
  Module._extensions['.ts'] = (module, filename) => {
    const { code, sourceMapPath } = transformer.transform(filename, {
      isInternalModule: false,
      supportsDynamicImport: false,
      supportsExportNamespaceFrom: false,
      supportsStaticESM: false,
      supportsTopLevelAwait: false,
      collectCoverage: false,
      collectCoverageFrom: [],
      coverageProvider: 'v8',
    });
    if (sourceMapPath) sourceMaps.set(filename, sourceMapPath);
    module._compile(code, filename);
  };
}

module.exports = { default: SharedRuntime, __esModule: true };
