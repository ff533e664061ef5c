const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const { runTypeScriptChildren, runTypeScriptWorkers } = require('./typescript-workers.js');

const RUNNER = `${path.sep}jest-circus${path.sep}`;

/** TypeScript file to its source map, for the stack traces of this worker. */
const sourceMaps = new Map();

let compileWorker;
runTypeScriptWorkers((file) => compileWorker(file));
runTypeScriptChildren();

/**
 * Loads the service and all libraries once per worker, with the `require` of Node. Jest itself would load their 2,800
 * modules again for each test file, which takes longer than the tests in most files. Only `test/` and the specs are
 * loaded for each file, except for a folder of stateless rules that take a fifth of a second to compile.
 *
 * This has two consequences. Module variables in `src/` live as long as the worker. And `jest.mock()` does not affect
 * imports in `src/`: tests spy on a provider of the application, or on the module itself.
 *
 * @borrowed jest-runtime
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, ...others) {
    super(config, environment, resolver, transformer, ...others);
    const ofProject = (...folders) => path.join(config.rootDir, ...folders) + path.sep;
    const rules = ofProject('test', 'support', 'open-responses');
    this.sharedFolders = [ofProject('src'), rules, `${path.sep}node_modules${path.sep}`];
    compileWorker = (file) => transformer.transform(file, { collectCoverageFrom: [] }).code;
    Module._extensions['.ts'] = (module, file) => {
      const { code, sourceMapPath } = transformer.transform(file, { collectCoverageFrom: [] });
      if (sourceMapPath) {
        sourceMaps.set(file, sourceMapPath);
        super.getSourceMaps().set(file, sourceMapPath);
      }
      module._compile(code, file);
    };
    // Without jest's sandbox, so that `Error` and `Array` in a test are the same as in the service.
    this.executor.compile = (source, filename) =>
      vm.compileFunction(source, this.executor.injectedModuleParameters, { filename });
  }

  requireModule(from, name, ...options) {
    if (name !== undefined && !this._resolution.isCoreModule(name)) {
      const file = this._resolution.resolveCjs(from, name);
      if (this.isShared(file)) return require(file);
    }
    return super.requireModule(from, name, ...options);
  }

  /** Everything except the tests, and jest's runner, which stores the state of a file in variables. */
  isShared(file) {
    return this.sharedFolders.some((folder) => file.includes(folder)) && !file.includes(RUNNER);
  }

  /** Jest keeps the map that it gets here before the tests, so the files of the tests are added to it. */
  getSourceMaps() {
    const maps = super.getSourceMaps();
    for (const [file, map] of sourceMaps) maps.set(file, map);
    return maps;
  }

  /** Jest would replace a function of its sandbox's `process`, which here is the real one. */
  installGetBuiltinModule() {}
}

module.exports = { __esModule: true, default: SharedRuntime };
