const path = require('node:path');
const { gzipSync } = require('node:zlib');
const { build } = require('esbuild');
const { ROOT } = require('../spec-files.js');
const { atMost, missing } = require('./figure.js');
const { filesIn, hitsIn, linesOf } = require('./project-files.js');

const TYPES = 'client/src/generated/types.ts';
const MOST_LINES = 7_999;
/** Each capability brings routes: it was 8,000 before signing in with a company, money, tools and MCP. */
const MOST_BYTES = 12_000;

const PAGE = "export { ApiError, ConnectionError, createChatClient, isApiError, TimeoutError } from './index.ts';";

/** A route that stands as text: `'/api/v1/chat'`, `'POST /chat/message'`. */
const ROUTE = /['"`]((GET|POST|PUT|PATCH|DELETE) )?\/[a-z{]/;

/** Of the typed client. @returns {Promise<import('./figure.js').Figure[]>} */
async function clientFigures() {
  const sources = filesIn('client/src', /\.ts$/).filter((file) => !file.includes('/generated/'));
  const lines = linesOf(TYPES);
  const bytes = await bytesInBrowser();
  const routes = hitsIn(sources, ROUTE).filter((hit) => !/:\d+ (\*|\/\*|\/\/)/.test(hit));
  return [
    atMost('client: routes as text outside of generated files', routes, 0),
    { ...missing(`client: lines of ${path.basename(TYPES)}`, `<= ${MOST_LINES}`, lines <= MOST_LINES), now: lines },
    { ...missing('client: bytes for a browser, gzip', `<= ${MOST_BYTES}`, bytes <= MOST_BYTES), now: bytes },
  ];
}

/** What a page loads that imports the client without `useChat`, as `client/test/package.spec.ts` measures it. */
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
