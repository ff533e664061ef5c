/**
 * The import direction of what browsers load: the client, and the console that stands on it. In the console `app` carries
 * everything, `components` are what pages are made of, and the router alone knows more than one page.
 */
const PAGE = '^console/src/pages/((?:admin/)?[^/]+)/';

function rule(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

module.exports = {
  forbidden: [
    rule(
      'client-alone',
      'The client knows nothing of the service or the console.',
      { path: '^client/' },
      {
        path: ['^src/', '^console/', '^test/'],
      },
    ),
    rule(
      'console-public-api',
      'The console uses the API through the client, like everybody else.',
      { path: '^console/' },
      {
        path: ['^src/', '^test/', '^client/'],
      },
    ),
    rule(
      'console-app',
      'What every page stands on knows no element and no page; the router shows them.',
      { path: '^console/src/app/(?!router/)' },
      { path: ['^console/src/(components|pages)/', '^console/src/app/router/'] },
    ),
    rule(
      'console-components',
      'What pages are made of knows no page.',
      { path: '^console/src/components/' },
      {
        path: ['^console/src/pages/', '^console/src/app/router/'],
      },
    ),
    rule(
      'console-page',
      'A page knows no other page: what two of them show is a component.',
      { path: PAGE },
      {
        path: ['^console/src/pages/', '^console/src/app/router/'],
        pathNot: '^console/src/pages/$1/',
      },
    ),
    rule(
      'console-state',
      'What the chat knows of a person does not know how it is drawn.',
      { path: '^console/src/pages/chat/state/' },
      { path: ['^console/src/components/', '^console/src/pages/chat/(?!state/)'] },
    ),
    rule(
      'resolvable',
      'Every import leads somewhere; the client is named as it is where it is installed.',
      {},
      { couldNotResolve: true, pathNot: '^chat-service-client$' },
    ),
    rule('no-circular', 'No import cycles.', { path: '^console/' }, { circular: true }),
    rule(
      'client-no-circular',
      'No import cycles; types may know each other.',
      { path: '^client/' },
      {
        circular: true,
        viaOnly: { dependencyTypesNot: ['type-only'] },
      },
    ),
    rule(
      'no-orphans',
      'A file that nothing imports is dead, entry points apart.',
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
