import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { tokenUsage } from '../../src/common/token-usage';
import { messages } from '../../src/modules/auth/locales/en.json';
import { toReplyTrailerDto } from '../../src/modules/chat/reading/formats/reply-trailer.dto';
import type { ReplyEnd } from '../../src/modules/generation/reply/reply-end';

const USAGE = { ...tokenUsage(295, 56), cached: 0, reasoning: 0, isEstimated: false, model: 'demo' };
const END: ReplyEnd = {
  status: 'completed',
  finishReason: 'stop',
  usage: { ...USAGE, cost: '0', currency: 'USD' },
  failure: null,
  title: 'Hello! What can you do?',
};

/** Maximum number of lines of the decisions. */
const MOST_LINES = 150;

const ROOT = resolve(__dirname, '../..');

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(resolve(ROOT, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  ),
];

describe('the documents', () => {
  it.each(DOCUMENTS)('%s has only valid links', (document) => {
    expect(linksOf(document).filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });

  it.each(DOCUMENTS.filter((document) => document.startsWith('docs/decisions/')))(
    '%s is short enough to read in minutes',
    (document) => {
      expect(readFileSync(resolve(ROOT, document), 'utf8').split('\n').length).toBeLessThanOrEqual(MOST_LINES);
    },
  );

  it('show the end of a stream as it is sent', () => {
    const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8');
    const [, shown = '{}'] = /^__TOKEN_USAGE__(\{.*\})$/m.exec(readme) ?? [];
    const sent = toReplyTrailerDto({ messageId: 2, userMessageId: 1, chatId: 1, citations: [] }, END, 'en');
    expect(shown).toBe(JSON.stringify(sent));
  });

  it('give the test command that CI runs', () => {
    const [, command = 'missing'] =
      /^readonly test_command='(.*)'$/m.exec(readFileSync(resolve(ROOT, '.ci/run'), 'utf8')) ?? [];
    expect(readFileSync(resolve(ROOT, 'README.md'), 'utf8')).toContain(`\n${command}\n`);
  });

  it("show the service's message about a code while mails are only logged", () => {
    const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8');
    const [, shown] = /\/auth\/send_code .*\n\{"success":true,"message":"([^"]*)"\}/.exec(readme) ?? [];
    expect(shown).toBe(messages.code_printed);
  });

  it('have many links, so the test finds them', () => {
    expect(DOCUMENTS.flatMap(linksOf).length).toBeGreaterThan(100);
  });
});

/** The targets of all links, without external ones. */
function linksOf(document: string): string[] {
  return [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Whether the file exists and, if it is a document, has the heading after `#`. */
function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? document : relative(ROOT, resolve(ROOT, dirname(document), path));
  if (!existsSync(resolve(ROOT, target))) {
    return false;
  }
  return heading === undefined || !target.endsWith('.md') || anchorsOf(target).includes(heading);
}

/** The anchors that GitHub generates for headings. */
function anchorsOf(document: string): string[] {
  return [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Without code blocks, whose brackets are not links. */
function textOf(document: string): string {
  return readFileSync(resolve(ROOT, document), 'utf8').replace(/^```[^]*?^```$/gm, '');
}
