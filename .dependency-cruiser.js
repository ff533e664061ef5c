/**
 * The import direction of the service. A new feature module adds one line to `allowedModuleImports`;
 * everything it does not name there is refused.
 */
const allowedModuleImports = {
  agent: [],
  user: ['agent'],
  health: [],
  group: ['user', 'agent'],
  auth: ['user'],
  pricing: [],
  identity: ['auth', 'user', 'group'],
  usage: ['user', 'group', 'pricing'],
  'api-key': ['user', 'usage', 'identity'],
  scim: ['user', 'group', 'auth', 'identity'],
  budget: ['user', 'agent', 'usage', 'api-key', 'group'],
  tool: ['agent'],
  mcp: ['identity', 'user', 'agent', 'group', 'tool'],
  webhook: ['user'],
  'event-feed': ['user', 'api-key'],
  generation: ['user', 'group', 'agent', 'usage', 'pricing', 'budget', 'tool'],
  chat: ['user', 'agent', 'usage', 'api-key', 'generation'],
  openai: ['user', 'agent', 'tool', 'usage', 'generation', 'chat', 'mcp'],
  share: ['user', 'agent', 'usage', 'generation', 'chat'],
  admin: ['auth', 'identity', 'user', 'group', 'agent', 'usage', 'generation', 'chat', 'webhook', 'api-key'],
};

/** The rooms of `src/integrations/llm`, and what each may import of the others. */
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

/** Forbids imports from one feature module into any other that it does not name. */
function modulePair([name, allowed]) {
  return {
    name: `module-${name}`,
    comment: `modules/${name} may import of the other modules: ${allowed.join(', ') || 'none'}.`,
    severity: 'error',
    from: { path: `^src/modules/${name}/`, pathNot: specification },
    to: { path: `^src/modules/(?!(${[name, ...allowed].join('|')})/)` },
  };
}

/** Forbids imports from one room of the language models into the folder's top and into rooms that it does not name. */
function llmRoom([name, allowed]) {
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
    layer('config', [], 'Configuration stands on libraries alone.'),
    layer('common', ['config'], 'Common code knows Nest, and no feature.'),
    layer('database', ['common', 'config'], 'The database layer knows no feature.'),
    layer(
      'integrations',
      ['database', 'common', 'config'],
      'The outside world is reached without knowing a feature; what waits for it is kept in the database.',
    ),
    layer('modules', ['integrations', 'database', 'common', 'config'], 'Features stand on the layers below.'),
    layer('api-docs', ['common', 'config', 'database'], 'The documentation is made from metadata, not from features.'),
    layer('console-files', ['common', 'config'], 'The console is files, and uses the API like everybody else.'),
    {
      name: 'integration-alone',
      comment: 'One integration does not use another.',
      severity: 'error',
      from: { path: '^src/integrations/([^/]+)/', pathNot: specification },
      to: { path: '^src/integrations/', pathNot: '^src/integrations/$1/' },
    },
    {
      name: 'adapter-hidden',
      comment: 'Features use what an integration offers at its top or in a room that is listed, never an adapter.',
      severity: 'error',
      from: { path: '^src/(modules|api-docs)/', pathNot: specification },
      to: { path: '^src/integrations/[^/]+/.+/', pathNot: '^src/integrations/llm/(port|counting|providers)/' },
    },
    ...Object.entries(allowedLlmImports).map(llmRoom),
    ...Object.entries(allowedModuleImports).map(modulePair),
    {
      name: 'module-unlisted',
      comment: 'A module that is not listed above imports no other module: add its line.',
      severity: 'error',
      from: { path: `^src/modules/(?!(?:${knownModules})/)([^/]+)/`, pathNot: specification },
      to: { path: '^src/modules/', pathNot: '^src/modules/$1/' },
    },
    {
      name: 'module-front-door',
      comment: 'Of another module only `<module>.api.ts`, which says what is public.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: specification },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/([^/]+)/\\1\\.api\\.ts$'] },
    },
    {
      name: 'module-own-files',
      comment: 'A module reaches its own files directly: its front door is for the others.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/$1/$1\\.api\\.ts$' },
    },
    {
      name: 'production-without-tests',
      comment: 'What ships does not import tests or benchmarks.',
      severity: 'error',
      from: { path: '^(src/|ormconfig)', pathNot: specification },
      to: { path: ['^test/', '^bench/', specification] },
    },
    {
      name: 'production-dependencies',
      comment:
        'What ships uses only what `npm ci --omit=dev` installs, and valibot: its peer, the compiler, would come along, so ' +
        'the build copies it to dist/node_modules.',
      severity: 'error',
      from: { path: '^src/', pathNot: specification },
      to: {
        pathNot: 'node_modules/valibot/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-package-for-nothing',
      comment:
        'Importing these would cost every process: loadPackage takes a driver when it is chosen, undici comes by ' +
        "src/common/undici.ts, and Express' adapter from @nestjs/platform-express/adapters.",
      severity: 'error',
      from: { path: '^src/', pathNot: specification },
      to: {
        path: '^node_modules/(ioredis|mysql2|pino-pretty)/|^node_modules/(undici|@nestjs/platform-express)/index\\.',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    { name: 'no-circular', comment: 'No import cycles.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is dead, entry points and what is loaded by pattern apart.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^src/(index|main|openapi|backup)\\.ts$',
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
