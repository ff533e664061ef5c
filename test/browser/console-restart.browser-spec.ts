import { uniqueContent } from '../support/chat-client';
import type { ConsoleChat } from '../support/console-chat';
import { ConsoleProcess } from '../support/console-process';
import { eventually } from '../support/eventually';

const REPLY = 'Hello from the model.';

describe('the console chat while the service is killed and restarted', () => {
  let service: ConsoleProcess;
  let chat: ConsoleChat;

  beforeAll(async () => {
    service = await ConsoleProcess.start();
    chat = await service.visit();
  });

  afterAll(() => service.close());

  it('continues in every tab: a reply, messages sent during the restart, and navigation to another page', async () => {
    const content = uniqueContent();
    await service.model.script({ key: content, times: 1, steps: [{ text: 'Half of it' }, { stall: true }] });
    const id = await chat.openNew();
    const [sending, leaving] = [await chat.another(), await chat.another()];
    const sendingId = await sending.openNew();
    await leaving.open();
    await chat.send(content);
    await chat.replies.getByText('Half of it', { exact: true }).waitFor();
    // Data that the service has not stored yet is lost.
    await eventually(async () => (await chat.client.read(id)).messages[1]?.content === 'Half of it');
    await service.kill();

    await chat.page.getByText('Connection lost.').waitFor();
    await chat.replies.getByText('Half of it', { exact: true }).waitFor();
    const sent = uniqueContent('sent while nobody was there');
    await sending.send(sent);
    await sending.page.getByText('Connection lost.').waitFor();
    await leaving.page.getByRole('link', { name: 'Account' }).click();
    const failure = leaving.page.getByRole('alert');
    await failure.getByText('The service is not responding. Try again in a moment.').waitFor();
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

    await sending.waitForEnd();
    await sending.expectLine(sendingId, sent, REPLY);
    await leaving.button('Try again', failure).click();
    await leaving.page.getByRole('heading', { name: 'Profile' }).waitFor();
  });
});
