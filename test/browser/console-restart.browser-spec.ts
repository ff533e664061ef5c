import { uniqueContent } from '../support/chat-client';
import type { ConsoleChat } from '../support/console-chat';
import { ConsoleProcess } from '../support/console-process';
import { eventually } from '../support/eventually';

const REPLY = 'Hello from the model.';

describe('the chat of the console, while the service is killed and started again', () => {
  let service: ConsoleProcess;
  let chat: ConsoleChat;

  beforeAll(async () => {
    service = await ConsoleProcess.start();
    chat = await service.visit();
  });

  afterAll(() => service.close());

  it('shows what was kept of the reply, and lets the person go on', async () => {
    const content = uniqueContent();
    await service.model.script({ key: content, times: 1, steps: [{ text: 'Half of it' }, { stall: true }] });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.replies.getByText('Half of it', { exact: true }).waitFor();
    // What the service has not stored yet dies with it.
    await eventually(async () => (await chat.client.read(id)).messages[1]?.content === 'Half of it');
    await service.kill();
    await chat.page.getByText('The connection was lost.').waitFor();
    await chat.replies.getByText('Half of it', { exact: true }).waitFor();
    await service.startAgain();
    await chat.page.getByText('The reply was interrupted because the service stopped.').waitFor();
    await chat.expectLine(id, content, 'Half of it');
    await chat.button('Try again').click();
    await chat.page.getByText('2/2').waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY);
    const next = uniqueContent('next');
    await chat.send(next);
    await eventually(async () => (await chat.line()).length === 4);
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY, next, REPLY);
  });

  it('sends once what was sent while nobody was there, and goes on elsewhere once it is back', async () => {
    const content = uniqueContent();
    const id = await chat.openNew();
    const other = await chat.another();
    await other.open();
    await service.kill();
    await chat.send(content);
    await chat.page.getByText('The connection was lost.').waitFor();
    // In another tab, on the way to another page.
    await other.page.getByRole('link', { name: 'Account' }).click();
    const failure = other.page.getByRole('alert');
    await failure.getByText('The service does not answer. Try again in a moment.').waitFor();
    await service.startAgain();
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY);
    await other.button('Try again', failure).click();
    await other.page.getByRole('heading', { name: 'Profile' }).waitFor();
  });
});
