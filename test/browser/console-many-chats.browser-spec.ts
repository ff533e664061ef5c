import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { eventually } from '../support/eventually';
import { LONGEST_TASK, LongTasks } from '../support/long-tasks';
import { storeChats } from '../support/many-chats';

/** Scrolls whenever the list has grown, until it is complete. */
const SCROLL_TO_END = `new Promise((resolve) => {
  const view = document.querySelector('.aside');
  const down = () => {
    view.scrollTop = view.scrollHeight;
    if (!document.querySelector('.chat-list > .list-note')) return resolve();
    requestAnimationFrame(down);
  };
  down();
})`;

interface Scrolled {
  /** The shown entries, in order. */
  titles: string[];
  /** The maximum number of elements in the page. */
  elements: number;
}

/** Scrolls up, view by view. */
const SCROLL_BACK = `new Promise((resolve) => {
  const view = document.querySelector('.aside');
  const titles = new Set();
  let elements = 0;
  view.scrollTop = view.scrollHeight;
  const up = () => {
    const shown = [...document.querySelectorAll('.chat-link bdi')].map((title) => title.textContent);
    shown.toReversed().forEach((title) => titles.add(title));
    elements = Math.max(elements, document.querySelectorAll('*').length);
    if (view.scrollTop === 0) return resolve({ titles: [...titles].toReversed(), elements });
    // So much beyond the view is drawn.
    view.scrollTop -= view.clientHeight + 700;
    drawn(up);
  };
  const isNear = ({ top, bottom }) => bottom > -700 && top < innerHeight + 700;
  const isDrawn = () =>
    [...view.querySelectorAll('ul:empty')].every((rows) => !isNear(rows.getBoundingClientRect()));
  // What has come near is drawn after a frame or some.
  const drawn = (then) => requestAnimationFrame(() => (isDrawn() ? then() : drawn(then)));
  drawn(up);
})`;

describe('10,000 conversations in the console', () => {
  let app: ConsoleApp;
  let chat: ConsoleChat;
  let tasks: LongTasks;
  let titles: string[];

  beforeAll(async () => {
    app = await startConsoleApp();
    chat = await ConsoleChat.visit(app);
    titles = await storeChats(app, chat.client, 10_000);
    tasks = await LongTasks.watch(chat.page);
  });

  afterAll(() => app.close());

  async function expectNoStandstill(act: () => Promise<void>): Promise<void> {
    expect(await tasks.longestWhile(act)).toBeLessThanOrEqual(LONGEST_TASK);
  }

  it('load page by page, and are read, pinned, searched and written to without blocking the page', async () => {
    await expectNoStandstill(async () => {
      await chat.open();
      await chat.page.evaluate(SCROLL_TO_END);
    });
    await expectNoStandstill(async () => {
      const pinned = chat.page.getByRole('region', { name: 'Pinned' });
      await chat.act('Conversation 9999', 'Pin');
      await pinned.waitFor({ state: 'attached' });
      await pinned.scrollIntoViewIfNeeded();
      await chat.act('Conversation 9999', 'Unpin');
      await pinned.waitFor({ state: 'detached' });
      await chat.page.evaluate(SCROLL_TO_END);
    });
    // A tall window shows them all sooner, and more of them at once.
    await chat.page.setViewportSize({ width: 1280, height: 2_100 });
    await expectNoStandstill(async () => {
      const scrolled = await chat.page.evaluate<Scrolled>(SCROLL_BACK);
      expect(scrolled.titles.toSorted()).toEqual(titles.toSorted());
      expect(scrolled.elements).toBeLessThan(4_000);
    });
    await expectNoStandstill(async () => {
      await chat.page.getByRole('searchbox').focus();
      await chat.page.keyboard.type('Conversation 5000');
      await chat.expectTitles('Conversation 5000');
      await chat.page.getByRole('link', { name: 'Conversation 5000' }).click();
      await chat.page.getByRole('heading', { level: 1, name: 'Conversation 5000' }).waitFor();
      await chat.send('Hello');
      await chat.waitForEnd();
      await chat.page.getByRole('searchbox').focus();
      await chat.page.keyboard.press('Escape');
      await eventually(async () => (await chat.titles())[0] === 'Conversation 5000', 20);
    });
  });
});
