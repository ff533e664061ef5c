import { api } from '../../../app/api';
import type { Happening } from '../../../app/feed/feed-messages';
import type { Happenings } from '../../../app/feed/happenings';
import type { PendingWrites } from '../../../app/pending-writes';
import type { ChatEvents } from './chat-events';
import type { ChatDirectory } from './list/chat-directory';
import type { OpenChats } from './open-chat/open-chats';
import type { Chat } from './types';

/** How long to wait until this or another tab has reported its own change. */
const WAIT_MILLISECONDS = 250;

/** The timestamp of an event is slightly later than that in the chat. */
const LATENESS_MILLISECONDS = 250;

/** Applies changes from other devices. Changes made in this browser are already known and not requested. */
export class Elsewhere {
  private readonly stop: () => void;
  private readonly waiting = new Map<number, Happening>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    happenings: Pick<Happenings, 'subscribe'>,
    private readonly userId: number | null,
    private readonly events: ChatEvents,
    private readonly directory: ChatDirectory,
    private readonly openChats: OpenChats,
    private readonly writes: PendingWrites,
  ) {
    this.stop = happenings.subscribe((event) => this.take(event));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.stop();
  }

  private take(event: Happening): void {
    const { chat_id: id, user_id: ownerId } = event.data;
    // Approvers also receive events of other users' conversations, which are not in their list.
    if (ownerId !== undefined && ownerId !== this.userId) return;
    if (event.type === 'opened') return;
    if (event.type === 'reset') {
      this.openChats.catchUp();
      void this.directory.refresh();
    } else if (id !== undefined) {
      this.note(id, event);
    }
  }

  /** Merges several events of one exchange into a single request. A chat that was deleted and restored still exists. */
  private note(id: number, event: Happening): void {
    const before = this.waiting.get(id);
    const changed = [...(before?.data.changed ?? []), ...(event.data.changed ?? [])];
    const type = before?.type === 'chat.deleted' && event.type !== 'chat.restored' ? before.type : event.type;
    this.waiting.set(id, { ...event, type, data: { ...event.data, changed } });
    this.timer ??= setTimeout(() => this.look(), WAIT_MILLISECONDS);
  }

  private look(): void {
    if (this.writes.some) {
      this.timer = setTimeout(() => this.look(), WAIT_MILLISECONDS);
      return;
    }
    this.timer = undefined;
    const news = [...this.waiting].filter(([id, event]) => !this.isKnown(id, event));
    this.waiting.clear();
    let isListDue = false;
    for (const [id, { type, data }] of news) {
      if (type === 'chat.deleted') {
        this.events.receive({ kind: 'removed', chatId: id });
        continue;
      }
      if (this.openChats.catchUpWith(id)) continue;
      // The list of recent chats does not report which chats have left it.
      if (data.changed?.includes('is_archived')) void this.read(id);
      else isListDue = true;
    }
    if (isListDue) void this.directory.refresh();
  }

  private isKnown(id: number, { timestamp, type, data }: Happening): boolean {
    const isAsked = data.action_id === undefined ? undefined : this.openChats.isAsked(id, data.action_id);
    if (isAsked !== undefined) return isAsked === (type === 'action.required');
    const chat = this.openChats.chatOf(id) ?? this.directory.find(id);
    if (!chat || type === 'chat.deleted') return false;
    const milliseconds = Date.parse(chat.updated_at) - Date.parse(timestamp);
    // A short reply may have ended before its start is processed.
    const isWritten = type !== 'message.started' || chat.active_message_id !== null || milliseconds >= 0;
    return isWritten && milliseconds >= -LATENESS_MILLISECONDS;
  }

  private async read(id: number): Promise<void> {
    const found = await api.chat.read({ path: { chat_id: id } }).catch(() => null);
    if (!found) return;
    const { messages: _messages, has_more_messages: _hasMore, ...chat } = found;
    this.events.receive({ kind: 'changed', chat: chat satisfies Chat });
  }
}
