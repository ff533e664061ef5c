import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';

/** All pages of somebody who is signed in; a name in braces stands for the id of what `furnish` makes. */
const PAGES = [
  ...['', '/{chat}', '/trash'].map((name) => `chat${name}`),
  ...['profile', 'settings', 'password', 'sessions', 'usage', 'keys', 'webhooks', 'webhooks/{webhook}', 'data'].map(
    (name) => `account/${name}`,
  ),
  ...['overview', 'usage', 'feedback', 'users', 'users/{user}', 'keys', 'chats', 'chats/{chat}'].map(
    (name) => `admin/${name}`,
  ),
  ...['', '/new', '/{agent}', '/{agent}?tab=versions', '/{agent}?tab=statistics'].map((name) => `admin/agents${name}`),
  ...['providers', 'models', 'plans', 'settings', 'webhooks', 'webhooks/{webhook}', 'audit', 'health'].map(
    (name) => `admin/${name}`,
  ),
  'nowhere',
];

/** Answers that belong to these pages: nothing there, not allowed, and a model server that lists no models. */
const REFUSED = /status of (403|404|502) /;

const ENTRANCE = ['sign-in', 'register', 'reset-password', 'setup'];

/*
 * Every page as people see it: in six languages at 320 pixels and at 640, which is what a window of 1280 has at 200 %,
 * and wide in light and dark, where axe looks at it.
 */
describe('every page of the console', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let places: Record<string, number>;

  beforeAll(async () => {
    app = await startConsoleApp({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    admin = await createAdmin(app);
    places = await furnish();
  }, 60_000);

  afterAll(() => app.close());

  async function furnish(): Promise<Record<string, number>> {
    const client = new ChatClient(app.url, admin.token);
    const hostile = '<b>Ada</b> \u202egnirts';
    const { id: chat, agent_id: agent } = await client.createChat({ title: `${hostile} ${'long '.repeat(20)}` });
    const { body: messages } = await client.send(chat, 'A question with a_very_long_word_'.padEnd(300, 'x'));
    await client.request(`/chat/${chat}/messages/${messages[1].id}/feedback`, {
      method: 'PUT',
      body: { rating: 'dislike', comment: hostile },
    });
    const gone = await client.createChat();
    await client.request(`/chat/${gone.id}`, { method: 'DELETE' });
    await client.request('/user/api-keys', { body: { name: hostile, scopes: ['chat:read'] } });
    const webhook = await client.request<{ data: { id: number } }>('/webhooks', {
      body: { url: 'http://127.0.0.1:9/a-place', events: ['*'], description: hostile },
    });
    await client.request(`/webhooks/${webhook.body.data.id}/test`, { body: {} });
    await client.request(`/agents/${agent}`, { method: 'PUT', body: { description: hostile } });
    const { user } = await createUser(app);
    return { chat, user: user.id, agent, webhook: webhook.body.data.id };
  }

  describe.each([
    ['signed in', PAGES, 'account/profile', () => admin],
    ['at the entrance', ENTRANCE, 'sign-in', () => null],
  ])('%s', (_name, pages, first, account) => {
    let looks: ConsoleLooks;
    const logged: string[] = [];

    beforeAll(async () => {
      const page = await app.visit(account());
      await page.goto(first);
      looks = new ConsoleLooks(page);
      await looks.stands();
      page.on('console', (line) => line.type() === 'error' && !REFUSED.test(line.text()) && logged.push(line.text()));
      page.on('pageerror', ({ message }) => logged.push(message));
    });

    it.each(pages)('%s fits in all languages, fails nowhere, and has nothing that axe finds', async (name) => {
      await looks.open(name.replaceAll(/\{(\w+)\}/g, (_whole, place: string) => String(places[place])));
      const found = await looks.faults(name, LANGUAGES);
      expect([...found, ...logged.splice(0)]).toEqual([]);
    });
  });
});
