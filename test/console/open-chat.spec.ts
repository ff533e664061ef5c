import { ApiError, ConnectionError, type ReplyOptions } from 'chat-service-client';
import { Drafts } from '../../console/src/app/drafts';
import { Visit } from '../../console/src/app/visit';
import { Attachment } from '../../console/src/pages/chat/state/attachments/attachments';
import type { ChatEvent } from '../../console/src/pages/chat/state/chat-events';
import type { NewMessage } from '../../console/src/pages/chat/state/open-chat/live-reply';
import { OpenChat } from '../../console/src/pages/chat/state/open-chat/open-chat';
import type { Chat, Message } from '../../console/src/pages/chat/state/types';
import { eventually } from '../support/eventually';
import { chatOf, messageOf } from './chats';
import { restoreGlobals, setPageGlobals } from './page-globals';
import { delta, end, start, Stream } from './reply-events';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

const mockRead = jest.fn();
const mockListMessages = jest.fn();
const streams: Stream[] = [];
const mockOpen = (_request: unknown, options: ReplyOptions): Stream => {
  const stream = new Stream(options);
  streams.push(stream);
  return stream;
};

jest.mock('../../console/src/app/api', () => ({
  get api() {
    return {
      send: mockOpen,
      edit: mockOpen,
      regenerate: mockOpen,
      join: mockOpen,
      chat: { read: mockRead, listMessages: mockListMessages },
    };
  },
}));

const words = (content: string): NewMessage => ({ content, files: [] });
const turns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('an open chat', () => {
  let chat: OpenChat;
  let published: ChatEvent[];
  const quota = { take: jest.fn() };
  const budget = { read: jest.fn(), spend: jest.fn() };
  const shown = (): string[] => chat.branch.value.map(({ message }) => message.content);
  const newest = (): Stream => streams.at(-1)!;

  /** The stored messages of the service. */
  function store(messages: Message[], members: Partial<Chat> = {}): void {
    mockRead.mockImplementation(() =>
      Promise.resolve({
        ...chatOf(1, { message_count: messages.filter(({ is_current }) => is_current).length, ...members }),
        messages,
        has_more_messages: false,
      }),
    );
  }

  beforeEach(async () => {
    setPageGlobals('en');
    streams.length = 0;
    published = [];
    mockRead.mockReset();
    quota.take.mockReset();
    budget.spend.mockReset();
    const events = { publish: (event: ChatEvent) => void published.push(event) };
    const drafts = new Drafts(new Visit(null));
    chat = new OpenChat(1, { events, drafts, quota, budget });
    store([messageOf(1, 'user', null), messageOf(2, 'assistant', 1)]);
    await chat.load();
    mockRead.mockClear();
  });

  afterAll(restoreGlobals);

  it('shows a reply while it is written, and then its stored state without a request', async () => {
    chat.send(words('more'));
    const { live, announcement } = chat.reply;
    newest().push(start(3, 4), delta('Hel'));
    await eventually(() => live.value?.text.value === 'Hel');
    expect(live.value?.content).toBe('more');
    expect(published).toMatchObject([{ kind: 'changed', chat: { id: 1, active_message_id: 4 } }]);
    newest().end(delta('lo', 5), end(4));
    await turns();
    expect(live.value).toBeNull();
    expect(shown()).toEqual(['user 1', 'assistant 2', 'more', 'Hello']);
    expect(announcement.value).toBe('Hello');
    expect(published.at(-1)).toMatchObject({ chat: { title: 'A title', message_count: 4, active_message_id: null } });
    expect(quota.take).toHaveBeenCalledTimes(1);
    expect(budget.spend).toHaveBeenCalledWith('0.25');
    expect(mockRead).not.toHaveBeenCalled();
  });

  it('loads the stored state if it contains unknown messages', async () => {
    chat.send(words('more'));
    store([1, 2, 3, 4, 5, 6].map((id) => messageOf(id, id % 2 ? 'user' : 'assistant', id - 1 || null)));
    newest().end(start(5, 6), end(6, { user_message_id: 5, message_id: 6 }));
    await turns();
    expect(mockRead).toHaveBeenCalledTimes(1);
    expect(shown()).toHaveLength(6);
  });

  it('loads the stored state of a message with files, which the service renames', async () => {
    chat.send({ content: 'more', files: [new Attachment(new File(['a'], 'a.txt'))] });
    mockListMessages.mockResolvedValueOnce([
      messageOf(3, 'user', 2, { content: 'as stored' }),
      messageOf(4, 'assistant', 3, { content: 'Hello' }),
    ]);
    newest().end(start(3, 4), delta('Hello'), end(4));
    await turns();
    expect(shown()).toEqual(['user 1', 'assistant 2', 'as stored', 'Hello']);
  });

  it('hides messages that an edit replaces, and keeps its draft until the service has accepted it', async () => {
    const drafts = new Drafts(new Visit(null));
    drafts.keep('edit-1', 'other words');
    chat.edit(messageOf(1, 'user', null), 'other words');
    expect(shown()).toEqual([]);
    expect(drafts.read('edit-1')).toBe('other words');
    newest().push(start(3, 4));
    await turns();
    expect(drafts.read('edit-1')).toBe('');
  });

  it('restores refused text, with the reason', async () => {
    const error = new ApiError('Too many.', 429, 'QUOTA_EXCEEDED', {}, null, null);
    chat.send(words('more'));
    newest().push(error);
    await turns();
    expect(chat.reply.refusal.value).toEqual({ error, message: words('more') });
    expect(chat.reply.live.value).toBeNull();
    expect(quota.take).toHaveBeenCalledWith(undefined);
  });

  it('shows a failure stored with its reply in the place of the reply', async () => {
    const error = new ApiError(
      'The model fails.',
      502,
      'MODEL_UNAVAILABLE' as ApiError['code'],
      { message_id: 4 },
      null,
      null,
    );
    chat.send(words('more'));
    store([
      messageOf(1, 'user', null),
      messageOf(2, 'assistant', 1),
      messageOf(3, 'user', 2, { content: 'more' }),
      messageOf(4, 'assistant', 3, { status: 'failed', content: '' }),
    ]);
    newest().push(error);
    await turns();
    expect(chat.reply.refusal.value).toBeNull();
    expect(shown()).toEqual(['user 1', 'assistant 2', 'more', '']);
  });

  describe('after a message without a reply', () => {
    beforeEach(async () => {
      chat.send(words('more'));
      newest().push(new ConnectionError(null));
      await turns();
    });

    const key = (at: number): string | undefined => streams.at(at)?.options.idempotencyKey;

    it('sends the same text under the same key, because the message may have arrived', async () => {
      expect(chat.reply.refusal.value).toMatchObject({ message: words('more') });
      chat.send(words('more'));
      expect(key(1)).toBe(key(0));
      newest().push(new ConnectionError(null));
      await turns();
      chat.send(words('more'));
      expect(key(2)).toBe(key(0));
    });

    it('sends different text under another key', () => {
      chat.send(words('other'));
      expect(key(1)).not.toBe(key(0));
    });

    it('sends the same text with a file under another key', () => {
      chat.send({ content: 'more', files: [new Attachment(new File(['a'], 'a.txt'))] });
      expect(key(1)).not.toBe(key(0));
    });

    it('sends the same text under a new key after a reply', async () => {
      chat.send(words('more'));
      newest().end(start(3, 4), end(4));
      await turns();
      chat.send(words('more'));
      expect(key(2)).not.toBe(key(0));
    });

    it('sends the same text under a new key if the first one arrived after all', async () => {
      chat.send(words('more'));
      store([messageOf(1, 'user', null), messageOf(2, 'assistant', 1), messageOf(3, 'user', 2, { content: 'more' })]);
      newest().push(new ConnectionError(null));
      await turns();
      expect(chat.reply.refusal.value).toBeNull();
      chat.send(words('more'));
      expect(key(2)).not.toBe(key(0));
    });
  });

  it('continues a running reply from its stored state', async () => {
    const begun = messageOf(4, 'assistant', 3, { status: 'streaming' as Message['status'], content: 'Hel' });
    store([messageOf(3, 'user', null), begun], { active_message_id: 4 });
    await chat.load();
    expect(chat.reply.live.value?.text.value).toBe('Hel');
    expect(shown()).toEqual(['user 3']);
    newest().push(delta('lo', 5));
    await turns();
    expect(chat.reply.live.value?.text.value).toBe('Hello');
  });

  it('loads changes that another tab has announced, unless only the title changed', async () => {
    const known = chat.stored.chat.value!;
    chat.take({ ...known, title: 'Other' });
    expect(chat.stored.chat.value?.title).toBe('Other');
    expect(mockRead).not.toHaveBeenCalled();
    chat.take({ ...known, message_count: 4 });
    await turns();
    expect(mockRead).toHaveBeenCalledTimes(1);
  });

  it('stops reading when it is closed, and reports nothing more', async () => {
    chat.send(words('more'));
    chat.leave();
    expect(newest().options.signal?.aborted).toBe(true);
    newest().push(new ConnectionError(null));
    await turns();
    expect(chat.reply.refusal.value).toBeNull();
  });

  it('reads nothing more once it is closed', async () => {
    chat.leave();
    await chat.catchUp();
    expect(mockRead).not.toHaveBeenCalled();
  });
});
