import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import figures from './plain-language.figures.json';
import { UNWANTED_PHRASES } from './plain-language.phrases';

const ROOT = resolve(__dirname, '../..');

/** No text: packages, what is built or generated, and recorded answers of providers. */
const SKIPPED = /(^|\/)(node_modules|dist|generated|recordings|images)(\/|$)/;

/** The changelog's archive describes the past in the words of its time. */
const KEPT_AS_WRITTEN = /changelog/i;

interface Unit {
  file: string;
  text: string;
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const filesIn = (folder: string, suffix: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => suffix.test(path) && !SKIPPED.test(path));

/** Each comment of a file, with the comments of consecutive lines as one. */
function commentsOf(file: string): Unit[] {
  const found: string[][] = [];
  let isBlock = false;
  let isGoingOn = false;
  for (const line of read(file).split('\n')) {
    const [, slashes] = /(?:^|\s)\/\/ (.*)$/.exec(line) ?? [];
    const begins = /^\s*\/\*/.test(line);
    if (begins || isBlock) {
      const text = line.replace(/^\s*(\/\*+|\*(?!\/))/, '').replace(/\*\/.*$/, '');
      if (begins) found.push([]);
      found.at(-1)!.push(text);
      isBlock = !line.includes('*/');
      isGoingOn = false;
    } else if (slashes !== undefined) {
      if (!isGoingOn) found.push([]);
      found.at(-1)!.push(slashes);
      isGoingOn = /^\s*\/\//.test(line);
    } else {
      isGoingOn = false;
    }
  }
  return found.map((lines) => ({ file, text: lines.join(' ') }));
}

/** Each paragraph, list item, heading and table row of a document, without code. */
function paragraphsOf(file: string): Unit[] {
  return read(file)
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2$/gm, '\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.)\s)/)
    .map((text) => ({ file, text: text.replace(/^\s*(?:[-*|#>]+|\d+\.)\s/, '') }));
}

/** Each text of a file of translations, of any depth. */
function textsOf(file: string): Unit[] {
  const collect = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(collect);
  return collect(JSON.parse(read(file))).map((text) => ({ file, text }));
}

/** The titles and descriptions of routes and fields that are written as text. Those of comments count as comments. */
function documentTextsOf(file: string): Unit[] {
  return [...read(file).matchAll(/\b(?:summary|description):\s*((?:\s*\+?\s*(?:'(?:\\.|[^'\\\n])*'|`[^`]*`))+)/g)].map(
    ([, literals = '']) => ({
      file,
      text: [...literals.matchAll(/'((?:\\.|[^'\\\n])*)'|`([^`]*)`/g)].map(([, one, other]) => one ?? other).join(''),
    }),
  );
}

/** A sentence without code, addresses and places that are filled in. */
const sentencesOf = ({ text }: Unit): string[] =>
  text
    .replace(/`[^`]*`/g, '…')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, '…')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.?!:])\s+/)
    .map((sentence) => sentence.replace(/^[\s*_"“(|[]+/, '').trim())
    .filter(Boolean);

const unwantedIn = (units: Unit[]): string[] =>
  units.flatMap((unit) =>
    sentencesOf(unit).flatMap((sentence) => {
      const found = UNWANTED_PHRASES.find(({ phrase }) => phrase.test(sentence));
      return found ? [`${unit.file}: ${sentence} (write: ${found.instead})`] : [];
    }),
  );

const code = (folder: string) => filesIn(folder, /\.(m?[jt]sx?|css)$/).flatMap(commentsOf);
const documents = ['CONTRIBUTING.md', 'SECURITY.md', 'console/README.md', 'client/README.md'];

/** The areas of the kept figures, with their texts. */
const AREAS: Record<keyof typeof figures, () => Unit[]> = {
  README: () => paragraphsOf('README.md'),
  documents: () =>
    [...documents, ...filesIn('docs', /\.md$/)]
      .filter((file) => !KEPT_AS_WRITTEN.test(file))
      .flatMap((file) => paragraphsOf(file)),
  'texts of the console': () => filesIn('console/src/locales/en', /\.json$/).flatMap(textsOf),
  'messages and mails': () => filesIn('src', /(^|\/)en\.json$/).flatMap(textsOf),
  'API document': () => filesIn('src', /\.ts$/).flatMap(documentTextsOf),
  'comments of src': () => code('src'),
  'comments of console': () => code('console'),
  'comments of client': () => code('client'),
  'comments of test': () => code('test'),
};

const REPORT = process.env.TEST_PHRASES;

/**
 * `plain-language.figures.json` keeps how many sentences of each area use an unwanted phrase. The figures only fall, and a
 * lower one is written down there.
 */
describe('plain language', () => {
  it.each(Object.keys(AREAS) as (keyof typeof figures)[])('%s: no more unwanted phrases than before', (area) => {
    const units = AREAS[area]();
    expect(units.length).toBeGreaterThan(20);
    const found = unwantedIn(units);
    if (REPORT) appendFileSync(REPORT, found.map((line) => `${area}: ${line}\n`).join(''));
    const advice = 'TEST_PHRASES=phrases.txt lists the sentences. If the figure fell, write it down.';
    expect({ advice, [area]: found.length }).toEqual({ advice, [area]: figures[area] });
  });

  it('finds phrases in sentences, and leaves code and labels alone', () => {
    expect(unwantedIn([{ file: 'a.ts', text: 'Who deletes it loses it. `somebody` is code. Is told of it.' }])).toEqual(
      [
        'a.ts: Who deletes it loses it. (write: A user who …, If a user …)',
        'a.ts: Is told of it. (write: sent, reported, notified, shows, returns)',
      ],
    );
    expect(unwantedIn([{ file: 'a.json', text: 'Who can read links' }])).toEqual([]);
  });
});
