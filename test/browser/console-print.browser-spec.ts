import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { eventually } from '../support/eventually';
import { inPage } from '../support/in-page';
import { sendTurns, turn } from '../support/turns';

const REPLY = [
  'See [the docs](https://a.test/docs?page=2).',
  '',
  '```ts',
  'a_long_line '.repeat(40).trim(),
  ...Array.from({ length: 120 }, (_, line) => `line ${line}`),
  '```',
  '',
  `|${' Bridge |'.repeat(12)}`,
  `|${'---|'.repeat(12)}`,
  `|${' Dom Luís I |'.repeat(12)}`,
  '',
  ...Array.from({ length: 100 }, (_, index) => `Paragraph ${index} of a long reply.\n`),
  'The last words.',
].join('\n');

/** The number of pages of a PDF by Chromium. */
const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;

/** The printed layout: elements with a box, their required width, and the page colour. */
const ON_PAPER = `
  const isSeen = (selector) => [...document.querySelectorAll(selector)].some((element) => element.checkVisibility());
  const isCut = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1) ||
      (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1);
  };
  return {
    controls: ['.topbar', '.aside', '.composer', '.message-actions', '.code-actions', '.menu', '.page .button'].filter(isSeen),
    cut: [...document.querySelectorAll('main, main *')].filter((element) => element.checkVisibility() && isCut(element))
      .map(({ className }) => className).filter((name) => name !== 'visually-hidden'),
    isTooWide: document.documentElement.scrollWidth > innerWidth,
    pages: document.documentElement.scrollHeight / innerHeight,
    colour: getComputedStyle(document.documentElement).backgroundColor,
    words: getComputedStyle(document.documentElement).color,
    code: getComputedStyle(document.querySelector('.code-block')).backgroundColor,
    link: getComputedStyle(document.querySelector('.markdown a'), '::after').content,
  };`;

interface Printed {
  messages: number;
  words: string;
}

/** Records the layout when the page is printed. */
const NOTE_PRINTED = `window.printed = new Promise((resolve) => {
  const note = () => resolve({
    messages: document.querySelectorAll('article.message').length,
    words: document.querySelector('.messages').textContent,
  });
  addEventListener('beforeprint', () => queueMicrotask(note), { once: true });
}); null`;

/** More than one page of messages, which is more than are rendered at once. */
const TURNS = 1_049;

const PAPER = {
  controls: [],
  cut: [],
  isTooWide: false,
  colour: 'rgb(255, 255, 255)',
  words: 'rgb(23, 24, 28)',
  code: 'rgb(246, 246, 248)',
  link: '" (https://a.test/docs?page=2)"',
};

describe('printing a conversation', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeEach(async () => (chat = await ConsoleChat.visit(app, {}, { theme: 'dark' })));

  // The media type of the window changes.
  afterEach(() => chat.page.context().close());

  /** A conversation with a long reply at its end. */
  async function converse(): Promise<number> {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    const content = uniqueContent('a long question '.repeat(200));
    await app.model.script({ key: content, steps: [{ text: REPLY }] });
    await chat.client.send(id, content);
    return id;
  }

  /** A conversation of many messages; the last one is a long reply. */
  async function converseLong(): Promise<number> {
    const { id } = await chat.client.createChat({ title: 'Porto' });
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: REPLY }] });
    const turns = Array.from({ length: TURNS }, (_, index) =>
      turn(index % 2 === 0 ? 'user' : 'assistant', { type: 'text', text: `Turn ${index + 1}.` }),
    );
    await sendTurns(app, chat.account.user.id, id, ...turns, turn('user', { type: 'text', text: content }));
    return id;
  }

  async function printed(print: () => Promise<unknown>): Promise<Printed> {
    await chat.page.evaluate(NOTE_PRINTED);
    await print();
    return chat.page.evaluate<Printed>('window.printed');
  }

  const onPaper = async (): Promise<unknown> => {
    await chat.page.emulateMedia({ media: 'print' });
    return chat.page.evaluate(inPage(ON_PAPER));
  };

  it('uses as many pages as it needs, in light colours and without controls', async () => {
    await chat.open(`chat/${await converse()}`);
    await chat.replies.getByText('The last words.').waitFor();
    expect(await onPaper()).toEqual({ ...PAPER, pages: expect.any(Number) as unknown });
    expect(pagesOf(await chat.page.pdf())).toBeGreaterThan(4);
  });

  it('does the same on the page of a shared conversation', async () => {
    const id = await converse();
    const { token } = (await chat.client.request<{ token: string }>(`/chat/${id}/shares`, { body: {} })).body;
    await chat.page.goto(`shared/${token}`);
    await chat.page.getByText('The last words.').waitFor();
    expect(await onPaper()).toEqual({ ...PAPER, pages: expect.any(Number) as unknown });
    expect(pagesOf(await chat.page.pdf())).toBeGreaterThan(4);
  });

  it('renders all loaded messages, and loads the others first with the shortcut or the menu', async () => {
    const id = await converseLong();
    await chat.open(`chat/${id}`);
    await chat.page.getByText(`Turn ${TURNS}.`).waitFor();
    const before = await printed(() => chat.page.pdf());
    expect(before.messages).toBeGreaterThan(100);
    expect(before.messages).toBeLessThan(TURNS);
    expect(before.words).toContain('Earlier messages are not included.');
    expect(before.words).toContain('The last words.');
    await eventually(async () => (await chat.page.locator('article.message').count()) <= 30);

    await chat.page.evaluate(`window.print = () => dispatchEvent(new Event('beforeprint'));`);
    const all = await printed(() => chat.page.keyboard.press('Control+p'));
    expect(all.messages).toBe(TURNS + 2);
    expect(all.words).not.toContain('Earlier messages are not included.');
    await chat.page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await chat.page.locator('.chat-head').getByRole('button').click();
    expect((await printed(() => chat.button('Print').click())).messages).toBe(TURNS + 2);
  });
});
