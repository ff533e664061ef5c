const { statSync } = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../spec-files.js');
const { figure } = require('./figure.js');
const { filesIn, hitsIn, importsBetween, linesOf, textOf } = require('./project-files.js');

const BORROWED = 'docs/borrowed.md';
const MOST_BYTES = 15 * 1_024;

/** Numbers that put declarations into an order: `place: 40`, `exposeHeaders([…], 50);`, `declareRouteGroup('…', '…', 35);` */
const PLACE = /\bplace: \d+|\b(exposeHeaders|declareRouteGroup)\([^;]*,\s*\d+,?\s*\);/g;

/** Figures of imports, words and casts in the sources. */
function sourceFigures() {
  const source = filesIn('src', /\.ts$/);
  const isTest = (file) => file.includes('.spec.') || file.startsWith('test/');
  const own = source.filter((file) => !isTest(file));
  const tests = [...source, ...filesIn('test', /\.tsx?$/), ...filesIn('client/test', /\.tsx?$/)];
  const below = (folder) => own.filter((file) => file.startsWith(folder));
  const port = importsBetween(below('src/integrations/llm/port/'), 'src/integrations/llm/');
  const audits = hitsIn(below('src/modules/'), /\baudit\.record\(/).map((hit) => hit.split(':')[0]);
  return [
    figure(
      'imports of chat in openai/completions',
      importsBetween(below('src/modules/openai/completions/'), 'src/modules/chat/'),
    ),
    figure(
      'imports of the rest of llm in llm/port',
      port.filter((line) => !line.includes('-> src/integrations/llm/port/')),
    ),
    figure('files of search in chat', below('src/modules/chat/search/')),
    figure('isHidden, isKept, HIDDEN_AT in src', hitsIn(source, /\b(isHidden|isKept|HIDDEN_AT)\b/)),
    figure(
      'place numbers',
      own.flatMap((file) => [...textOf(file).matchAll(PLACE)].map(([number]) => `${file}: ${number}`)),
    ),
    figure('files that call audit.record', [...new Set(audits)]),
    figure('AuditActor in src', hitsIn(source, /\bAuditActor\b/)),
    figure(
      'as unknown as, in tests',
      hitsIn(
        tests.filter((file) => isTest(file) && !file.includes('/fixtures/')),
        /\bas unknown as\b/,
      ),
    ),
    figure('as never, in console/src', hitsIn(filesIn('console/src', /\.tsx?$/), /\bas never\b/)),
  ];
}

/** Figures of documents. */
function documentFigures() {
  const documents = ['README.md', ...filesIn('docs', /\.md$/)].filter((file) => file !== 'docs/performance.md');
  const bytesOf = (file) => statSync(path.join(ROOT, file)).size;
  const large = documents.filter((file) => bytesOf(file) > MOST_BYTES).map((file) => `${file} (${bytesOf(file)})`);
  const decisions = filesIn('docs/decisions').filter((file) => linesOf(file) > 150);
  return [
    figure(`rows of ${BORROWED}`, rowsOf(textOf(BORROWED))),
    figure('documents over 15 KiB', large),
    figure('decisions over 150 lines', decisions),
  ];
}

/** First cells of the table rows, without the header and the separator. */
function rowsOf(text) {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.split('|')[1].trim());
}

module.exports = { documentFigures, sourceFigures };
