import { join } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { frontendSnippet } from '../support/frontend-snippet';
import { dataUrl, png, shownImage } from '../support/sent-images';
import { sharedBrowser } from '../support/shared-browser';
import { useChatApp } from '../support/use-app';

/** Shows the documented conversation; `#<id>,<token>` in the address selects the conversation and its user. */
const PAGE = `
  import { createRoot } from 'react-dom/client';
  import { StrictMode } from 'react';
  import { Chat, readHistory } from 'documented';
  const [id, token] = location.hash.slice(1).split(',');
  const headers = { Authorization: 'Bearer ' + token };
  const history = await readHistory(id, headers);
  createRoot(document.body.firstChild).render(<StrictMode><Chat id={id} history={history} headers={headers} /></StrictMode>);
`;

describe('the documented conversation in React, in a browser', () => {
  const app = useChatApp();
  let client: ChatClient;
  let browser: BrowserContext;
  let page: Page;
  let chatId: number;

  beforeAll(async () => {
    client = await app.newClient();
    const script = await bundle();
    browser = await (await sharedBrowser()).newContext();
    await browser.route(`${app.origin}/page?*`, (route) =>
      route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body: '<!doctype html><body><div></div><script type="module" src="/page.js"></script>',
      }),
    );
    await browser.route(`${app.origin}/page.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: script }),
    );
    page = await browser.newPage();
    page.setDefaultTimeout(20_000);
  });

  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  afterAll(() => browser.close());

  async function open(): Promise<void> {
    // A different number: a change after the # alone would load nothing.
    await page.goto(`${app.origin}/page?${chatId}#${chatId},${client.token}`);
    await page.locator('form').waitFor();
  }

  async function send(text: string): Promise<void> {
    await page.locator('input[name=text]').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  async function sendAndWait(text: string): Promise<void> {
    await send(text);
    await page.locator('article.assistant').last().getByText('Hello from the model.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  }

  async function edit(index: number, text: string): Promise<void> {
    page.once('dialog', (dialog) => void dialog.accept(text));
    await page.locator('article').nth(index).getByRole('button', { name: 'Edit' }).click();
  }

  const again = (index: number) => page.locator('article').nth(index).getByRole('button', { name: 'Again' }).click();

  /** Waits until the page shows the stored current branch, and checks it against the expected one. */
  async function expectLine(...expected: string[]): Promise<MessageDto[]> {
    const shown = () => page.locator('article > p').allTextContents();
    await eventually(async () => JSON.stringify(await shown()) === JSON.stringify(expected)).catch(() => undefined);
    expect(await shown()).toEqual(expected);
    const { messages } = await client.read(chatId);
    expect(messages.map(({ content }) => content)).toEqual(expected);
    return messages;
  }

  const REPLY = 'Hello from the model.';

  it('shows earlier messages, and sends', async () => {
    const [first, second] = [uniqueContent('first'), uniqueContent('second')];
    await client.send(chatId, first);
    await open();
    await expectLine(first, REPLY);
    await send(second);
    await expectLine(first, REPLY, second, REPLY);
    await page.reload();
    await expectLine(first, REPLY, second, REPLY);
  });

  it('sends each image with its own message only', async () => {
    const [first, second] = [uniqueContent('first'), uniqueContent('second')];
    const pictures = [png(), png()];
    const bodies: string[] = [];
    page.on('request', (request) => void bodies.push(request.postData() ?? ''));
    await open();
    for (const [index, text] of [first, second].entries()) {
      const file = { name: `${index}.png`, mimeType: 'image/png', buffer: pictures[index]! };
      await page.locator('input[name=files]').setInputFiles(file);
      await sendAndWait(text);
    }
    const messages = await expectLine(first, REPLY, second, REPLY);
    expect([messages[0]?.parts?.[0], messages[2]?.parts?.[0]]).toEqual(
      pictures.map((bytes, index) => ({ ...shownImage(bytes), name: `${index}.png` })),
    );
    expect(bodies.filter((body) => body.includes(dataUrl(pictures[0]!)))).toHaveLength(1);
  });

  it('continues reading a reply after a reload in its middle', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { hold: content }, { text: ' and half' }] });
    await open();
    await send(content);
    await page.getByText('Half', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Half', { exact: true }).waitFor();
    await app.model.release(content);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await expectLine(content, 'Half and half');
  });

  it('stops a reply, and the next message can follow immediately', async () => {
    const [content, next] = [uniqueContent(), uniqueContent('next')];
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { stall: true }] });
    await open();
    await send(content);
    await page.getByText('Half', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await send(next);
    const messages = await expectLine(content, 'Half', next, REPLY);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed', 'completed']);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('regenerates the last reply and an earlier one', async () => {
    const [first, second] = [uniqueContent('first'), uniqueContent('second')];
    await open();
    await sendAndWait(first);
    await sendAndWait(second);
    await app.model.script({ key: second, times: 1, steps: [{ text: 'Second anew' }] });
    await again(3);
    await expectLine(first, REPLY, second, 'Second anew');
    await app.model.script({ key: first, times: 1, steps: [{ text: 'First anew' }] });
    await again(1);
    await expectLine(first, 'First anew');
  });

  it('edits a message, whether the page has sent or loaded it', async () => {
    const contents = ['first', 'second', 'third', 'fourth', 'fifth'].map((text) => uniqueContent(text));
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = contents;
    await open();
    await sendAndWait(first);
    await sendAndWait(second);
    await edit(2, third);
    await expectLine(first, REPLY, third, REPLY);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await edit(0, fourth);
    await expectLine(fourth, REPLY);
    await page.reload();
    await edit(0, fifth);
    await expectLine(fifth, REPLY);
    expect((await client.read(chatId, '?branches=all')).messages).toHaveLength(10);
  });

  it('shows a failure as a message, and retries', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, times: 1, status: 400 });
    await open();
    await send(content);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/^The AI model [^{}"]+\. Try again$/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectLine(content, REPLY);
    expect(await alert.count()).toBe(0);
  });

  /** A single page script with the documented code and the libraries. */
  async function bundle(): Promise<string> {
    // The folder with the installed libraries.
    const resolveDir = join(__dirname, '../clients');
    const { outputFiles } = await build({
      stdin: { contents: PAGE, loader: 'jsx', resolveDir },
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      minify: true,
      logLevel: 'silent',
      plugins: [
        {
          name: 'documented',
          setup: (setup) => {
            setup.onResolve({ filter: /^documented$/ }, () => ({ path: 'documented', namespace: 'documented' }));
            setup.onLoad({ filter: /.*/, namespace: 'documented' }, () => ({
              contents: frontendSnippet('jsx'),
              loader: 'jsx',
              resolveDir,
            }));
          },
        },
      ],
    });
    return outputFiles[0]!.text;
  }
});
