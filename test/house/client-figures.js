const path = require('node:path');
const { gzipSync } = require('node:zlib');
const { build } = require('esbuild');
const { ROOT } = require('../spec-files.js');
const { figure } = require('./figure.js');
const { filesIn, hitsIn } = require('./project-files.js');

/** Each feature adds routes: the limit was 8,000 before company sign-in, costs, tools and MCP. */
const MOST_BYTES = 12_000;

const PAGE = "export { ApiError, ConnectionError, createChatClient, isApiError, TimeoutError } from './index.ts';";

/** A route written as text: `'/api/v1/chat'`, `'POST /chat/message'`. */
const ROUTE = /['"`]((GET|POST|PUT|PATCH|DELETE) )?\/[a-z{]/;

/**
 * Figures of the typed client.
 *
 * @returns {Promise<import('./figure.js').Figure[]>}
 */
async function clientFigures() {
  const sources = filesIn('client/src', /\.ts$/).filter((file) => !file.includes('/generated/'));
  const bytes = await bytesInBrowser();
  const routes = hitsIn(sources, ROUTE).filter((hit) => !/:\d+ (\*|\/\*|\/\/)/.test(hit));
  return [
    figure('client: routes as text outside of generated files', routes),
    figure(`client: more than ${MOST_BYTES} bytes for a browser, gzip`, bytes > MOST_BYTES ? [`${bytes}`] : []),
  ];
}

/**
 * The code that a page loads if it imports the client without `useChat`, as `client/test/package.spec.ts` measures it.
 */
async function bytesInBrowser() {
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: path.join(ROOT, 'client/src') },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

module.exports = { clientFigures };
