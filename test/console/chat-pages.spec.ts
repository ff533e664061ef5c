import { type ChatFilter, ChatPages } from '../../console/src/pages/chat/state/list/chat-pages';
import type { Chat } from '../../console/src/pages/chat/state/types';
import { chatOf } from './chats';

interface Query {
  limit: number;
  offset: number;
  is_archived?: boolean;
  is_pinned?: boolean;
  q?: string;
  tag?: string;
}

const mockList = jest.fn<Promise<Chat[]>, [{ query: Query }]>();

jest.mock('../../console/src/app/api', () => ({
  get api() {
    return { chat: { list: mockList } };
  },
}));

/** The service with this number of chats. The highest number was changed last. */
function serve(chats: Chat[]): void {
  const newestFirst = chats.toSorted((one, other) => other.id - one.id);
  mockList.mockImplementation(({ query: { limit, offset, is_pinned } }) =>
    Promise.resolve(newestFirst.filter((chat) => !is_pinned || chat.is_pinned).slice(offset, offset + limit)),
  );
}

const chatsFrom = (first: number, last: number): Chat[] =>
  Array.from({ length: last - first + 1 }, (_value, index) => chatOf(first + index));

const ALL: ChatFilter = { isArchived: false, text: '', tag: '' };

describe('the pages of the chat list', () => {
  const idsOf = (pages: ChatPages): number[] => pages.chats.value.map(({ id }) => id);
  const queries = (): Query[] => mockList.mock.calls.map(([{ query }]) => query);

  beforeEach(() => {
    mockList.mockReset();
  });

  it('are read in order, most recently changed first, until one is not full', async () => {
    serve(chatsFrom(1, 150));
    const pages = new ChatPages(ALL);
    await pages.loadMore();
    expect(idsOf(pages)).toEqual(
      chatsFrom(51, 150)
        .map(({ id }) => id)
        .reverse(),
    );
    expect(pages.isComplete.value).toBe(false);
    await pages.loadMore();
    expect(idsOf(pages)).toHaveLength(150);
    expect(pages.isComplete.value).toBe(true);
    await pages.loadMore();
    expect(queries()).toEqual([
      { limit: 100, offset: 0, is_archived: false },
      { limit: 100, offset: 0, is_archived: false, is_pinned: true },
      { limit: 100, offset: 100, is_archived: false },
    ]);
  });

  it('include pinned chats from the start, and request them only if one page does not contain all', async () => {
    serve([chatOf(1, { is_pinned: true }), ...chatsFrom(2, 120)]);
    const long = new ChatPages(ALL);
    await long.loadMore();
    expect(idsOf(long)).toContain(1);
    mockList.mockClear();
    serve([chatOf(1, { is_pinned: true }), ...chatsFrom(2, 20)]);
    await new ChatPages(ALL).loadMore();
    expect(queries()).toHaveLength(1);
  });

  it('start with the page already loaded, and continue after it', async () => {
    const old = chatOf(1, { is_pinned: true });
    serve([old, ...chatsFrom(2, 120)]);
    const pages = new ChatPages(ALL, [], { items: chatsFrom(21, 120).toReversed(), total: 120, pinned: [old] });
    await pages.loadMore();
    expect(queries()).toEqual([]);
    expect(idsOf(pages)).toHaveLength(101);
    await pages.loadMore();
    expect(queries()).toEqual([{ limit: 100, offset: 100, is_archived: false }]);
    expect(idsOf(pages)).toHaveLength(120);
    expect(pages.isComplete.value).toBe(true);
  });

  it('are requested one at a time', async () => {
    serve(chatsFrom(1, 3));
    const pages = new ChatPages(ALL);
    await Promise.all([pages.loadMore(), pages.loadMore()]);
    expect(queries()).toHaveLength(1);
  });

  it('report why they cannot be loaded, and can be requested again', async () => {
    const error = new Error('offline');
    mockList.mockRejectedValueOnce(error);
    const pages = new ChatPages(ALL);
    await pages.loadMore();
    expect([pages.error.value, pages.isLoading.value, pages.isComplete.value]).toEqual([error, false, false]);
    serve(chatsFrom(1, 2));
    await pages.loadMore();
    expect([idsOf(pages), pages.error.value]).toEqual([[2, 1], null]);
  });

  it('continue after a removed chat, so that none is skipped', async () => {
    const chats = chatsFrom(1, 150);
    serve(chats);
    const pages = new ChatPages(ALL);
    await pages.loadMore();
    pages.remove(150);
    serve(chats.slice(0, -1));
    await pages.loadMore();
    expect(idsOf(pages)).toEqual(
      chatsFrom(1, 149)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it('move a changed chat to its position, and omit archived chats and ones without the label', () => {
    const pages = new ChatPages({ ...ALL, tag: 'work' }, [
      chatOf(1, { tags: ['work'] }),
      chatOf(2, { tags: ['work'] }),
      chatOf(3),
    ]);
    expect(idsOf(pages)).toEqual([1, 2]);
    pages.change(chatOf(1, { tags: ['work'], updated_at: '2026-02-01T00:00:00.000Z' }));
    expect(idsOf(pages)).toEqual([1, 2]);
    pages.change(chatOf(2, { tags: ['work'], updated_at: '2026-02-02T00:00:00.000Z' }));
    expect(idsOf(pages)).toEqual([2, 1]);
    pages.change(chatOf(2, { tags: ['home'] }));
    pages.change(chatOf(1, { tags: ['work'], is_archived: true }));
    expect(idsOf(pages)).toEqual([]);
  });

  it('of a search update their chats, and add none that was not found', async () => {
    serve([chatOf(1)]);
    const pages = new ChatPages({ ...ALL, text: 'word', tag: 'work' });
    await pages.loadMore();
    expect(queries()).toEqual([{ limit: 100, offset: 0, q: 'word', tag: 'work' }]);
    pages.change(chatOf(2, { tags: ['work'] }));
    pages.change(chatOf(1, { tags: ['work'], is_archived: true, title: 'Changed' }));
    expect(pages.chats.value.map(({ id, title }) => [id, title])).toEqual([[1, 'Changed']]);
  });

  it('are unchanged if the newest page cannot be loaded again', async () => {
    serve(chatsFrom(1, 2));
    const pages = new ChatPages(ALL);
    await pages.loadMore();
    mockList.mockRejectedValueOnce(new Error('offline'));
    await pages.refresh();
    expect(idsOf(pages)).toEqual([2, 1]);
    serve(chatsFrom(1, 3));
    await pages.refresh();
    expect(idsOf(pages)).toEqual([3, 2, 1]);
  });
});
