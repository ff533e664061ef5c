import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { asTokens, longReply } from '../support/long-reply';
import { LONGEST_TASK, LongTasks } from '../support/long-tasks';
import type { ModelStep } from '../support/model-server/model-server';

const REPLY = longReply();

/** Scrolls up through all messages, one view in each frame. */
const READ_BACKWARDS = `new Promise((resolve) => {
  const view = document.querySelector('.scroller');
  view.scrollTop = view.scrollHeight;
  const up = () => {
    if (view.scrollTop === 0) return resolve();
    view.scrollTop -= view.clientHeight;
    requestAnimationFrame(up);
  };
  up();
})`;

describe('a reply of 200 KB in the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;
  let tasks: LongTasks;

  beforeAll(async () => {
    chat = await ConsoleChat.visit(app);
    tasks = await LongTasks.watch(chat.page);
  });

  async function expectNoStandstill(act: () => Promise<void>): Promise<void> {
    expect(await tasks.longestWhile(act)).toBeLessThanOrEqual(LONGEST_TASK);
  }

  /** Sends a message with this answer in a new conversation. Returns its number. */
  async function ask(steps: ModelStep[]): Promise<number> {
    const content = uniqueContent();
    await app.model.script({ key: content, steps });
    const id = await chat.openNew();
    await chat.send(content);
    await waitForLastWords();
    await chat.waitForEnd();
    return id;
  }

  const waitForLastWords = () => chat.replies.getByText('The very end.').waitFor();

  it('never blocks the page: while it is written, when it is opened again, and when it is read', async () => {
    let id = 0;
    await expectNoStandstill(async () => void (id = await ask(asTokens(REPLY))));
    expect((await chat.client.read(id)).messages[1]?.content).toBe(REPLY);
    await expectNoStandstill(async () => {
      await chat.page.reload();
      await waitForLastWords();
    });
    await expectNoStandstill(() => chat.page.evaluate(READ_BACKWARDS));
    const sections = REPLY.match(/^## Section/gm)?.length;
    expect(await chat.replies.getByRole('heading', { name: /^Section \d+$/ }).count()).toBe(sections);
  });

  it('costs no more when it arrives at once', async () => {
    await expectNoStandstill(async () => void (await ask([{ text: REPLY }])));
  });
});
