/**
 * The import direction of the service. A new feature module adds one line to `allowedModuleImports`. Imports that are
 * not listed there are refused.
 */
const allowedModuleImports = {
  agent: [],
  hold: [],
  user: ['agent', 'hold'],
  health: [],
  group: ['user', 'agent', 'hold'],
  retention: ['user', 'group'],
  auth: ['user', 'group', 'hold'],
  pricing: [],
  identity: ['auth', 'user', 'group', 'hold'],
  device: ['auth', 'identity', 'user'],
  usage: ['user', 'agent', 'group', 'pricing', 'hold', 'retention'],
  'api-key': ['user', 'usage', 'identity'],
  scim: ['user', 'group', 'auth', 'identity', 'hold'],
  budget: ['user', 'agent', 'usage', 'api-key', 'group', 'pricing'],
  guard: ['user', 'agent', 'group', 'usage', 'budget'],
  tool: ['agent'],
  mcp: ['identity', 'user', 'agent', 'group', 'tool'],
  knowledge: ['user', 'agent', 'group', 'usage', 'tool', 'generation', 'hold', 'retention'],
  webhook: ['user', 'retention'],
  'event-feed': ['user', 'api-key'],
  generation: ['user', 'group', 'agent', 'api-key', 'usage', 'pricing', 'budget', 'guard', 'tool', 'hold', 'retention'],
  chat: ['user', 'agent', 'usage', 'api-key', 'guard', 'generation', 'knowledge', 'hold', 'retention'],
  openai: ['user', 'agent', 'tool', 'usage', 'generation', 'chat', 'mcp', 'knowledge'],
  anthropic: ['user', 'agent', 'tool', 'usage', 'api-key', 'budget', 'pricing', 'group', 'generation', 'mcp', 'guard'],
  share: ['user', 'agent', 'usage', 'generation', 'chat'],
  admin: [
    'auth',
    'identity',
    'user',
    'group',
    'agent',
    'pricing',
    'usage',
    'generation',
    'chat',
    'webhook',
    'api-key',
    'hold',
    'retention',
  ],
  'hold-administration': ['user', 'group', 'knowledge', 'admin', 'hold'],
  operation: ['user', 'generation', 'health'],
  bootstrap: ['auth', 'identity', 'user', 'agent', 'usage', 'budget', 'chat', 'event-feed', 'admin'],
};

/** The subfolders of `src/integrations/llm`, and the others that each may import. */
const allowedLlmImports = {
  port: [],
  counting: ['port/'],
  adapters: ['port/', 'counting/', 'providers/provider-targets'],
  providers: ['port/', 'counting/', 'adapters/provider-adapters', 'llm\\.config'],
  generation: ['port/', 'counting/', 'providers/'],
};

const specification = '\\.spec\\.ts$';
const knownModules = Object.keys(allowedModuleImports).join('|');

/** Forbids every import from one part of `src` into another that is not on its list. */
function layer(name, allowed, comment) {
  return {
    name: `layer-${name.replaceAll('/', '-')}`,
    comment,
    severity: 'error',
    from: { path: `^src/${name}/`, pathNot: specification },
    to: { path: `^src/(?!(${[name, ...allowed].join('|')})/)` },
  };
}

/** Forbids imports from one feature module into any other that is not on its list. */
function modulePair([name, allowed]) {
  return {
    name: `module-${name}`,
    comment: `modules/${name} may import of the other modules: ${allowed.join(', ') || 'none'}.`,
    severity: 'error',
    from: { path: `^src/modules/${name}/`, pathNot: specification },
    to: { path: `^src/modules/(?!(${[name, ...allowed].join('|')})/)` },
  };
}

/**
 * Forbids imports from one subfolder of the language models into the files of the parent folder and into subfolders
 * that are not on its list.
 */
function llmFolder([name, allowed]) {
  return {
    name: `llm-${name}`,
    comment: `integrations/llm/${name} may import of the rest of the folder: ${allowed.join(', ') || 'nothing'}.`,
    severity: 'error',
    from: { path: `^src/integrations/llm/${name}/`, pathNot: specification },
    to: { path: `^src/integrations/llm/(?!${[`${name}/`, ...allowed].join('|')})` },
  };
}

module.exports = {
  forbidden: [
    layer('config', [], 'Configuration imports only libraries.'),
    layer('common', ['config'], 'Common code may use Nest, but no feature.'),
    layer('database', ['common', 'config'], 'The database layer must not import features.'),
    layer(
      'integrations',
      ['database', 'common', 'config'],
      'Integrations must not import features. Their queues are in the database.',
    ),
    layer('modules', ['integrations', 'database', 'common', 'config'], 'Features import only the layers below.'),
    layer(
      'api-docs',
      ['common', 'config', 'database'],
      'The documentation is generated from metadata, without imports of features.',
    ),
    layer('console-files', ['common', 'config'], 'The console consists of static files, and uses the public API.'),
    {
      name: 'integration-alone',
      comment: 'One integration does not use another.',
      severity: 'error',
      from: { path: '^src/integrations/([^/]+)/', pathNot: specification },
      to: { path: '^src/integrations/', pathNot: '^src/integrations/$1/' },
    },
    {
      name: 'adapter-hidden',
      comment: 'Features import the top folder of an integration or a listed subfolder, never an adapter.',
      severity: 'error',
      from: { path: '^src/(modules|api-docs)/', pathNot: specification },
      to: { path: '^src/integrations/[^/]+/.+/', pathNot: '^src/integrations/llm/(port|counting|providers)/' },
    },
    ...Object.entries(allowedLlmImports).map(llmFolder),
    ...Object.entries(allowedModuleImports).map(modulePair),
    {
      name: 'engine-without-acting',
      comment:
        'The engine writes replies by their drivers. It does not know tool calls, or replies without a conversation.',
      severity: 'error',
      from: { path: '^src/modules/generation/(?!acting/|stateless/)[^/]+/', pathNot: specification },
      to: { path: '^src/modules/generation/(acting|stateless)/' },
    },
    {
      name: 'module-unlisted',
      comment: 'A module that is not listed above must not import other modules. Add a line for it.',
      severity: 'error',
      from: { path: `^src/modules/(?!(?:${knownModules})/)([^/]+)/`, pathNot: specification },
      to: { path: '^src/modules/', pathNot: '^src/modules/$1/' },
    },
    {
      name: 'module-front-door',
      comment: 'Import only `<module>.api.ts` of another module, which exports its public API.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: specification },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/([^/]+)/\\1\\.api\\.ts$'] },
    },
    {
      name: 'module-own-files',
      comment: 'A module imports its own files directly. Its `<module>.api.ts` is for other modules.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/$1/$1\\.api\\.ts$' },
    },
    {
      name: 'production-without-tests',
      comment: 'Production code must not import tests or benchmarks.',
      severity: 'error',
      from: { path: '^(src/|ormconfig)', pathNot: specification },
      to: { path: ['^test/', '^bench/', specification] },
    },
    {
      name: 'production-without-testing',
      comment: 'src/testing is for tests. The service must not load it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'production-dependencies',
      comment: 'Production code imports only packages that `npm ci --omit=dev` installs.',
      severity: 'error',
      from: { path: '^src/', pathNot: specification },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-package-for-nothing',
      comment:
        'Direct imports would slow down every process. Load drivers with loadPackage, import undici through ' +
        'src/common/undici.ts, and the Express adapter from @nestjs/platform-express/adapters.',
      severity: 'error',
      from: { path: '^src/', pathNot: specification },
      to: {
        path: '^node_modules/(ioredis|mysql2|pino-pretty)/|^node_modules/(undici|@nestjs/platform-express)/index\\.',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'resolvable',
      comment: 'Every import must be resolvable.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    { name: 'no-circular', comment: 'No import cycles.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'A file without importers is dead code, except for entry points and files loaded by pattern.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^src/(index|main|openapi|backup)\\.ts$',
          // A worker thread.
          '^src/testing/scripted-model/model-server\\.thread\\.js$',
          '^src/database/migrations/',
          specification,
          '\\.d\\.ts$',
          '^ormconfig',
        ],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
