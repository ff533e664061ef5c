import { join } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { sharedBrowser } from '../support/shared-browser';

/** A conversation with useChat 7; `#<id>,<token>` in the address selects the conversation and its user. */
const PAGE = `
  import { useChat } from 'ai-sdk-react-7';
  import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai-7';
  import { createRoot } from 'react-dom/client';
  const [id, token] = location.hash.slice(1).split(',');
  const headers = { Authorization: 'Bearer ' + token };
  const messages = await (await fetch('/api/v1/chat/' + id + '/messages?format=ui_message&ui_version=7', { headers })).json();
  function Conversation() {
    const chat = useChat({
      id,
      messages,
      transport: new DefaultChatTransport({
        api: '/api/v1/chat/message?stream_format=ui_message&ui_version=7',
        headers,
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    return (
      <main>
        {chat.messages.map((message) => (
          <article key={message.id}>
            {message.parts.map((part, index) =>
              part.type === 'text' ? (
                <p key={index}>{part.text}</p>
              ) : part.type !== 'dynamic-tool' ? null : part.state === 'approval-requested' ? (
                <p key={index}>
                  {part.toolName} {JSON.stringify(part.input)}
                  <button onClick={() => chat.addToolApprovalResponse({ id: part.approval.id, approved: true })}>Allow</button>
                </p>
              ) : (
                <p key={index}>{part.output ?? part.state}</p>
              ),
            )}
          </article>
        ))}
        <button onClick={() => chat.sendMessage({ text: document.title })}>Send</button>
        <output>{chat.error?.message ?? chat.status}</output>
      </main>
    );
  }
  createRoot(document.body.firstChild).render(<Conversation />);
`;

describe('a reply with an approval, on pages with useChat 7', () => {
  const { app, client, tools, chatWith, calling, saying } = useActing();
  let browser: BrowserContext;

  beforeAll(async () => {
    const script = await bundle();
    browser = await (await sharedBrowser()).newContext();
    await browser.route(`${app.origin}/page`, (route) =>
      route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body: '<!doctype html><body><div></div><script type="module" src="/page.js"></script>',
      }),
    );
    await browser.route(`${app.origin}/page.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: script }),
    );
  });

  afterAll(() => browser.close());

  async function open(chatId: number): Promise<Page> {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${app.origin}/page#${chatId},${client.token}`);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    return page;
  }

  it('is loaded again, and approved in another tab', async () => {
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'All is done.');
    const first = await open(chatId);
    await first.evaluate(`document.title = ${JSON.stringify(key)}`);
    await first.getByRole('button', { name: 'Send' }).click();
    await first.getByRole('button', { name: 'Allow' }).waitFor();
    await first.reload();
    const question = first.getByText(`book {"what":"${key}"}`);
    await question.waitFor();
    const other = await open(chatId);
    await other.getByRole('button', { name: 'Allow' }).click();
    await other.getByText('All is done.').waitFor();
    await other.getByText(`Booked ${key}.`).waitFor();
    expect(await other.locator('article').count()).toBe(2);
    expect(await other.locator('output').textContent()).toBe('ready');
    // The first tab decides the same later, and gets the same reply.
    await first.getByRole('button', { name: 'Allow' }).click();
    await first.getByText('All is done.').waitFor();
    expect(await first.locator('article').count()).toBe(2);
    expect(tools.booked.filter((what) => what === key)).toHaveLength(1);
  });

  async function bundle(): Promise<string> {
    const { outputFiles } = await build({
      // The folder with the installed libraries.
      stdin: { contents: PAGE, loader: 'jsx', resolveDir: join(__dirname, '../clients') },
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      minify: true,
      logLevel: 'silent',
    });
    return outputFiles[0]!.text;
  }
});
