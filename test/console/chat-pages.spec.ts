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

/** The service with so many chats; the highest number changed last. */
function serve(chats: Chat[]): void {
  const newestFirst = chats.toSorted((one, other) => other.id - one.id);
  mockList.mockImplementation(({ query: { limit, offset, is_pinned } }) =>
    Promise.resolve(newestFirst.filter((chat) => !is_pinned || chat.is_pinned).slice(offset, offset + limit)),
  );
}

const chatsFrom = (first: number, last: number): Chat[] =>
  Array.from({ length: last - first + 1 }, (_value, index) => chatOf(first + index));

const ALL: ChatFilter = { isArchived: false, text: '', tag: '' };

describe('the pages of the list of chats', () => {
  const idsOf = (pages: ChatPages): number[] => pages.chats.value.map(({ id }) => id);
  const queries = (): Query[] => mockList.mock.calls.map(([{ query }]) => query);

  beforeEach(() => {
    mockList.mockReset();
  });

  it('are read one after the other, the most recently changed first, until one is not full', async () => {
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

  it('have the pinned ones from the first on, and ask for them only where one page does not hold all', async () => {
    serve([chatOf(1, { is_pinned: true }), ...chatsFrom(2, 120)]);
    const long = new ChatPages(ALL);
    await long.loadMore();
    expect(idsOf(long)).toContain(1);
    mockList.mockClear();
    serve([chatOf(1, { is_pinned: true }), ...chatsFrom(2, 20)]);
    await new ChatPages(ALL).loadMore();
    expect(queries()).toHaveLength(1);
  });

  it('are asked for once at a time', async () => {
    serve(chatsFrom(1, 3));
    const pages = new ChatPages(ALL);
    await Promise.all([pages.loadMore(), pages.loadMore()]);
    expect(queries()).toHaveLength(1);
  });

  it('say why they cannot be had, and can be asked for again', async () => {
    const error = new Error('offline');
    mockList.mockRejectedValueOnce(error);
    const pages = new ChatPages(ALL);
    await pages.loadMore();
    expect([pages.error.value, pages.isLoading.value, pages.isComplete.value]).toEqual([error, false, false]);
    serve(chatsFrom(1, 2));
    await pages.loadMore();
    expect([idsOf(pages), pages.error.value]).toEqual([[2, 1], null]);
  });

  it('go on behind what was removed, so that none is left out', async () => {
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

  it('take a change to its place, and leave out what is archived or has lost the label', () => {
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

  it('of a search show what changes, and nothing that was not found', async () => {
    serve([chatOf(1)]);
    const pages = new ChatPages({ ...ALL, text: 'word', tag: 'work' });
    await pages.loadMore();
    expect(queries()).toEqual([{ limit: 100, offset: 0, q: 'word', tag: 'work' }]);
    pages.change(chatOf(2, { tags: ['work'] }));
    pages.change(chatOf(1, { tags: ['work'], is_archived: true, title: 'Changed' }));
    expect(pages.chats.value.map(({ id, title }) => [id, title])).toEqual([[1, 'Changed']]);
  });

  it('stay as they are when the newest cannot be read again', async () => {
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
