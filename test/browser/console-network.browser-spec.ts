import { uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { storeChats } from '../support/many-chats';
import { Network } from '../support/network';

const REPLY = 'Hello from the model.';

describe('the console on a bad network', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;
  let network: Network;

  beforeEach(async () => {
    chat = await ConsoleChat.visit(app);
    network = await Network.of(chat.page);
  });

  afterEach(async () => {
    await network.close();
    await app.leave(chat.page);
  });

  it('is usable from the first page to the end of a reply when the network is slow', async () => {
    await chat.page.context().clearCookies();
    await network.slow();
    await chat.page.goto('');
    await chat.page.getByLabel('E-mail address').fill(chat.account.email);
    await chat.page.getByLabel('Password', { exact: true }).fill(chat.account.password);
    await chat.button('Sign in').click();
    await chat.entry.waitFor();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'First' }, { hold: content }, { text: ' and last' }] });
    await chat.send(content);
    await chat.replies.getByText('First', { exact: true }).waitFor();
    await app.model.release(content);
    await chat.waitForEnd();
    await chat.expectLine(Number(/\d+$/.exec(chat.page.url())?.[0]), content, 'First and last');
  });

  it('continues a reply when the network is back, without loss or repetition', async () => {
    const content = uniqueContent();
    const [first, second] = [`${content} 1`, `${content} 2`];
    await app.model.script({
      key: content,
      steps: [{ text: 'One ' }, { hold: first }, { text: 'two ' }, { hold: second }, { text: 'three' }],
    });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.replies.getByText('One', { exact: true }).waitFor();
    await network.offline();
    await app.model.release(first);
    await chat.page.getByText('Connection lost. The reply continues when you reconnect.').waitFor();
    await chat.replies.getByText('One', { exact: true }).waitFor();
    expect(await violations(chat.page)).toEqual([]);
    await network.online();
    await chat.replies.getByText('One two', { exact: true }).waitFor();
    await app.model.release(second);
    await chat.waitForEnd();
    await chat.expectLine(id, content, 'One two three');
  });

  it('sends a message written offline, once, when the network is back', async () => {
    const content = uniqueContent();
    const id = await chat.openNew();
    await network.offline();
    await chat.send(content);
    await chat.page.getByText('Connection lost. The reply continues when you reconnect.').waitFor();
    await network.online();
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY);
  });

  it('shows on a page that cannot be loaded that it is offline, and loads it when the network is back', async () => {
    const { id } = await chat.client.createChat({ title: 'Not loaded yet' });
    await chat.open();
    await chat.expectTitles('Not loaded yet');
    await network.offline();
    const sentence = chat.page.getByText('You are offline. The page continues when you reconnect.');
    await chat.page.getByRole('link', { name: 'Not loaded yet' }).click();
    await sentence.waitFor();
    expect(await violations(chat.page)).toEqual([]);
    // Loaded content stays.
    await chat.expectTitles('Not loaded yet');
    await network.online();
    await chat.entry.waitFor();
    expect(chat.page.url()).toContain(`/chat/${id}`);

    // A page whose code is not loaded yet.
    await network.offline();
    await chat.page.getByRole('link', { name: 'Account' }).click();
    await sentence.waitFor();
    await network.online();
    await chat.page.getByRole('heading', { name: 'Profile' }).waitFor();
  });

  it('announces only what it does: the user has to repeat offline actions', async () => {
    await chat.client.createChat({ title: 'To be pinned' });
    await chat.open();
    await chat.expectTitles('To be pinned');
    await network.offline();
    await chat.act('To be pinned', 'Pin');
    const told = chat.page.locator('.toast');
    await told.getByText('No connection. Try again when you are back online.').waitFor();
    expect(await chat.page.getByText('The page continues').count()).toBe(0);
    await network.online();
    await chat.act('To be pinned', 'Pin');
    await chat.page.getByRole('heading', { name: 'Pinned' }).waitFor();
  });

  it('keeps the list of conversations when its next page cannot be loaded', async () => {
    const titles = await storeChats(app, chat.client, 120);
    await chat.page.route(/offset=[1-9]/, (route) => route.abort('internetdisconnected'), { times: 1 });
    await chat.open();
    await chat.page.getByRole('link', { name: titles[0], exact: true }).waitFor();
    const toEnd = () => chat.page.evaluate('document.querySelector(".aside").scrollTo(0, 1e6)');
    await toEnd();
    const failure = chat.page.locator('.chat-list').getByRole('alert');
    await chat.button('Try again', failure).click();
    await failure.waitFor({ state: 'detached' });
    await toEnd();
    await chat.page.getByRole('link', { name: titles.at(-1), exact: true }).waitFor();
  });
});
