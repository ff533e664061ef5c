import { createAdmin, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { placeOf } from '../support/console-places';

type Act = () => Promise<unknown>;
type State = [name: string, place: string, reach: Act, leave?: Act];

const MARKDOWN = [
  '# Heading\n\nText with `code`, a [link](https://example.com/a) and ![a picture](https://example.com/b.png).',
  '> A quotation\n\n1. One\n2. Two\n\n- [x] Done\n- [ ] To do\n\n---',
  '| A | B |\n|:-:|--:|\n| 1 | 2 |\n\n```ts\nconst answer = 42;\n```',
].join('\n\n');

/* Everything that is hidden when a page opens: menus, dialogs, notices, and empty states. */
describe('dialogs and empty states on the pages of the console', () => {
  const app = useConsoleApp();
  let admin: TestAccount;
  let client: ChatClient;
  let looks: ConsoleLooks;
  let at: ConsolePage;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    admin = await createAdmin(app);
    client = new ChatClient(app.url, admin.token);
    const chat = await client.createChat({ title: 'A chat' });
    await client.send(chat.id, uniqueContent());
    await client.request(`/chat/${chat.id}`, { method: 'PUT', body: { tags: ['travel', 'sea'] } });
    await makeKey(app, admin.token, { name: 'Report' });
    const url = 'http://127.0.0.1:9/a-place';
    const webhook = await client.request<{ data: { id: number } }>('/webhooks', { body: { url, events: ['*'] } });
    await client.request(`/webhooks/${webhook.body.data.id}/test`, { body: {} });
    const long = await client.createChat({ title: 'Long' });
    await app.storeMessages(long.id, 24);
    Object.assign(ids, { chat: chat.id, long: long.id, webhook: webhook.body.data.id });
    const page = await app.visit(admin);
    looks = new ConsoleLooks(page);
    at = new ConsolePage(page);
  }, 60_000);

  // The service waits for a running reply before it stops.
  afterAll(() => app.model.release('states'));

  const search = (words: string) => at.page.getByRole('searchbox').fill(words);
  const toast = () => at.page.locator('.toast').last().waitFor();
  const ask = async (content: string) => {
    await at.page.getByRole('textbox', { name: 'Message', exact: true }).fill(content);
    await at.page.keyboard.press('Enter');
  };
  const replyWith = async (text: string) => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text }] });
    await ask(content);
    await at.page.locator('article.reply.last .message-actions').waitFor();
  };
  const inMenu = async (menu: string, item: string) => {
    await at.press(menu);
    await at.press(item);
  };

  const SHELL: State[] = [
    ['menu of languages', 'account/data', () => at.press('Language: English')],
    ['menu of colours', 'account/data', () => at.press('Theme')],
    ['menu of the person', 'account/data', () => at.press(`Signed in as ${admin.user.username}`)],
  ];

  const CHAT: State[] = [
    ['menu of a chat', 'chat/{chat}', () => at.press('Actions for A chat')],
    ['new title', 'chat/{chat}', () => inMenu('Actions for A chat', 'Rename')],
    ['tags', 'chat/{chat}', () => inMenu('Actions for A chat', 'Edit tags')],
    ['links', 'chat/{chat}', () => inMenu('Actions for A chat', 'Share')],
    ['keys', 'chat/{chat}', () => at.press('Keyboard shortcuts')],
    ['archive', 'chat', () => at.press('Archive'), () => at.press('Archive')],
    ['nothing found', 'chat', () => search('nothing like that'), () => search('')],
    ['no such chat', 'chat/99999', () => at.says('Conversation not found. It may have been deleted.')],
    ['facts of a reply', 'chat/{chat}', () => at.press('Details')],
    ['comment', 'chat/{chat}', () => at.press('Bad reply')],
    ['other words', 'chat/{chat}', () => at.press('Edit message')],
    ['Markdown', 'chat', () => replyWith(MARKDOWN)],
    ['hundreds of lines', 'chat', () => replyWith('A line\n\n'.repeat(200))],
    ['a long conversation', 'chat/{long}', () => at.page.locator('article').nth(20).waitFor()],
    [
      'a reply while it is written',
      'chat',
      async () => {
        const content = uniqueContent();
        await app.model.script({
          key: content,
          steps: [{ reasoning: 'Thinking' }, { text: 'Half' }, { hold: 'states' }],
        });
        await ask(content);
        await at.page.getByText('Half', { exact: true }).waitFor();
      },
    ],
    [
      'a reply that was stopped, and another that failed',
      'chat',
      async () => {
        const [stopped, content] = [uniqueContent(), uniqueContent()];
        await app.model.script({ key: stopped, steps: [{ text: 'Half' }, { stall: true }] });
        await ask(stopped);
        await at.page.getByText('Half', { exact: true }).waitFor();
        await at.press('Stop reply');
        await at.says('You stopped this reply.');
        await app.model.script({ key: content, times: 3, status: 500 });
        await ask(content);
        await at.page.locator('.reply-end.notice').last().waitFor();
      },
    ],
    ['a deleted chat', 'chat/{chat}', () => inMenu('Actions for A chat', 'Delete').then(toast), () => at.press('Undo')],
  ];

  const ACCOUNT: State[] = [
    ['profile with faults', 'account/profile', () => at.fill('Username', 'x').then(() => at.press('Save'))],
    ['wrong password', 'account/password', () => at.press('Change password')],
    ['new key', 'account/keys', () => at.press('New key')],
    [
      'a key that is shown once',
      'account/keys',
      async () => {
        await at.press('New key');
        await at.fill('Name', 'Another');
        await at.page.getByLabel('Read chats (chat:read)').check();
        await at.press('Create key');
        await at.page.getByLabel('API key', { exact: true }).waitFor();
      },
    ],
    ['change of a key', 'account/keys', () => at.press('Edit')],
    ['usage of a key', 'account/keys', () => at.press('Usage', at.page.locator('main'))],
    ['rotation of a key', 'account/keys', () => at.press('Rotate')],
    ['end of a key', 'account/keys', () => at.press('Revoke')],
    ['other sessions', 'account/sessions', () => at.press('End all others')],
    ['longer plan', 'account/usage', () => at.press('Add a month')],
    ['figures', 'account/usage', () => at.page.getByText('Show as table').first().click()],
    ['new webhook', 'account/webhooks', () => at.press('Add webhook')],
    [
      'example of an event',
      'account/webhooks',
      () => at.press('Add webhook').then(() => at.dialog.getByText('Example', { exact: true }).first().click()),
    ],
    ['delivery', 'account/webhooks/{webhook}', () => at.page.locator('tbody button').first().click()],
    ['replay', 'account/webhooks/{webhook}', () => at.press('Replay events')],
    ['new secret', 'account/webhooks/{webhook}', () => inMenu('More actions', 'Rotate secret')],
    ['end of the account', 'account/data', () => at.press('Close account…')],
  ];

  const stateOf = ([name, place, reach, leave]: State) => ({ name, place, reach, leave });

  it('the sidebar on a phone', async () => {
    const phone = await app.visit(admin, { width: 320 });
    await phone.emulateMedia({ reducedMotion: 'reduce' });
    const [seen, worn] = [new ConsolePage(phone), new ConsoleLooks(phone)];
    for (const [place, name] of [
      ['chat', 'Conversations'],
      ['admin/plans', 'Administration'],
    ] as const) {
      await phone.goto(place);
      await seen.press(name);
      await phone.locator('#aside.open').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await worn.wear(colorScheme);
        expect(await violations(phone)).toEqual([]);
      }
    }
    await phone.context().close();
  });

  it.each([...SHELL, ...CHAT, ...ACCOUNT].map(stateOf))('$name', async (state) => {
    expect(await looks.faultsOf({ ...state, place: placeOf(state.place, ids) })).toEqual([]);
  });
});
