/**
 * The import direction of browser code: the client, and the console on top of it. In the console, `app` is the base,
 * pages consist of `components`, and only the router imports several pages.
 */
const PAGE = '^console/src/pages/((?:admin/)?[^/]+)/';

function rule(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

module.exports = {
  forbidden: [
    rule(
      'client-alone',
      'The client must not import the service or the console.',
      { path: '^client/' },
      {
        path: ['^src/', '^console/', '^test/'],
      },
    ),
    rule(
      'console-public-api',
      'The console uses only the public API, through the client.',
      { path: '^console/' },
      {
        path: ['^src/', '^test/', '^client/'],
      },
    ),
    rule(
      'console-app',
      'The base of all pages must not import components or pages. Only the router imports pages.',
      { path: '^console/src/app/(?!router/)' },
      { path: ['^console/src/(components|pages)/', '^console/src/app/router/'] },
    ),
    rule(
      'console-components',
      'Components must not import pages.',
      { path: '^console/src/components/' },
      {
        path: ['^console/src/pages/', '^console/src/app/router/'],
      },
    ),
    rule(
      'console-page',
      'A page must not import another page. Shared parts are components.',
      { path: PAGE },
      {
        path: ['^console/src/pages/', '^console/src/app/router/'],
        pathNot: '^console/src/pages/$1/',
      },
    ),
    rule(
      'console-state',
      'The state of the chat must not import views.',
      { path: '^console/src/pages/chat/state/' },
      { path: ['^console/src/components/', '^console/src/pages/chat/(?!state/)'] },
    ),
    rule(
      'resolvable',
      'Every import must be resolvable, except the package name of the client.',
      {},
      { couldNotResolve: true, pathNot: '^chat-service-client$' },
    ),
    rule('no-circular', 'No import cycles.', { path: '^console/' }, { circular: true }),
    rule(
      'client-no-circular',
      'No import cycles, except for type imports.',
      { path: '^client/' },
      {
        circular: true,
        viaOnly: { dependencyTypesNot: ['type-only'] },
      },
    ),
    rule(
      'no-orphans',
      'A file without importers is dead code, except for entry points.',
      { orphan: true, pathNot: ['\\.d\\.ts$', '^client/src/generated/'] },
      {},
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: require('node:path').join(__dirname, 'console/tsconfig.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'browser', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
