import type { Happening } from '../../console/src/app/feed/feed-messages';
import { PendingWrites } from '../../console/src/app/pending-writes';
import type { ChatEvents } from '../../console/src/pages/chat/state/chat-events';
import { Elsewhere } from '../../console/src/pages/chat/state/elsewhere';
import type { ChatDirectory } from '../../console/src/pages/chat/state/list/chat-directory';
import type { OpenChats } from '../../console/src/pages/chat/state/open-chat/open-chats';
import type { Chat } from '../../console/src/pages/chat/state/types';
import { chatOf } from './chats';

jest.mock('../../console/src/app/api', () => ({ api: {} }));

const OWN_ID = 7;
const BEGUN = '2026-01-01T00:00:10.000Z';
const begins: Happening = { type: 'message.started', timestamp: BEGUN, data: { chat_id: 1, user_id: OWN_ID } };

/** The reloads and notifications after such an event in an open chat. */
function lookAfter(known: Partial<Chat>, ...events: Happening[]): { read: unknown[]; told: unknown[] } {
  let tell = (_event: Happening): void => undefined;
  const catchUpWith = jest.fn(() => true);
  const receive = jest.fn();
  const openChats = { chatOf: () => chatOf(1, known), isAsked: () => undefined, catchUpWith };
  const happenings = {
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => undefined;
    },
  };
  const elsewhere = new Elsewhere(
    happenings,
    OWN_ID,
    { receive } as Partial<ChatEvents> as ChatEvents,
    {} as ChatDirectory,
    openChats as Partial<OpenChats> as OpenChats,
    new PendingWrites(),
  );
  events.forEach((event) => tell(event));
  jest.advanceTimersByTime(1_000);
  elsewhere.dispose();
  return { read: catchUpWith.mock.calls.flat(), told: receive.mock.calls.flat() };
}

const readAgain = (known: Partial<Chat>, event: Happening): unknown[] => lookAfter(known, event).read;

describe('remote events in an open chat', () => {
  beforeEach(() => jest.useFakeTimers());

  afterEach(() => jest.useRealTimers());

  it.each<[string, Partial<Chat>]>([
    ['is being written here', { updated_at: BEGUN, active_message_id: 2 }],
    ['is over here already', { updated_at: '2026-01-01T00:00:10.040Z' }],
  ])('load nothing if a reply %s', (_name, known) => {
    expect(readAgain(known, begins)).toEqual([]);
  });

  it('load nothing if the conversation belongs to a user for whom the viewer decides', () => {
    const data = { chat_id: 1, user_id: 8, action_id: 5 };
    expect(readAgain({ updated_at: BEGUN }, { type: 'action.required', timestamp: BEGUN, data })).toEqual([]);
  });

  it.each<[string, Partial<Chat>, Happening]>([
    ['a reply that starts a moment after the one before', { updated_at: '2026-01-01T00:00:09.900Z' }, begins],
    ['another change', { updated_at: '2026-01-01T00:00:09.000Z' }, { ...begins, type: 'chat.updated' }],
  ])('load: %s', (_name, known, event) => {
    expect(readAgain(known, event)).toEqual([1]);
  });

  it('remove deleted messages, and immediately ignore undone changes', () => {
    const deleted: Happening = { ...begins, type: 'chat.deleted' };
    const gone = { read: [], told: [{ kind: 'removed', chatId: 1 }] };
    expect(lookAfter({ updated_at: BEGUN }, deleted)).toEqual(gone);
    expect(lookAfter({ updated_at: BEGUN }, deleted, { ...begins, type: 'message.stopped' })).toEqual(gone);
    expect(lookAfter({ updated_at: BEGUN }, deleted, { ...begins, type: 'chat.restored' }).told).toEqual([]);
  });
});
