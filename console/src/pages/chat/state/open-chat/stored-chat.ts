import { batch, computed, signal } from '@preact/signals';
import { api } from '../../../../app/api';
import type { Action, Chat, Message } from '../types';
import { currentBranch, mergeMessages } from './branch';
import type { LiveReply } from './live-reply';
import { chatAfter, storedExchange } from './stored-exchange';

/** The stored state of a chat, as far as it is loaded. */
export class StoredChat {
  readonly chat = signal<Chat | null>(null);
  /** Messages of all branches. */
  readonly messages = signal<Message[]>([]);
  readonly hasOlder = signal(false);
  /** Pending actions of the current branch, oldest first. */
  readonly actions = signal<Action[]>([]);
  /** Messages of the current branch, with their versions. */
  readonly current = computed(() => currentBranch(this.messages.value));
  /** Number of messages on the branch: those at the last read, and those added since. */
  length = 0;

  constructor(readonly id: number) {}

  async read(): Promise<void> {
    const path = { chat_id: this.id };
    const { messages, has_more_messages, ...chat } = await api.chat.read({ path, query: { branches: 'all' } });
    const isWaiting = messages.some(mayWait);
    const actions = isWaiting ? await api.chat.actions.list({ path, query: { limit: 100 } }) : [];
    batch(() => {
      this.actions.value = actions.toReversed();
      this.chat.value = chat;
      this.messages.value = messages;
      this.hasOlder.value = has_more_messages;
    });
    this.length = chat.message_count;
  }

  async readOlder(): Promise<void> {
    const [first] = this.messages.peek();
    if (!first) return;
    const older = await this.readPage(100, first.id);
    // A page may have fewer messages than its limit, because its size is limited too.
    this.hasOlder.value = older.length === 100 || (older[0]?.parent_id ?? null) !== null;
    // Two requests may have loaded the same page.
    this.messages.value = mergeMessages(older, this.messages.peek());
  }

  async readAll(): Promise<void> {
    while (this.hasOlder.peek()) await this.readOlder();
  }

  /**
   * Adds a new message and its completed reply, usually without another request.
   *
   * @returns false if the received events are not sufficient: a new version changes the branch, or another device may
   * have added messages
   */
  async append(live: LiveReply): Promise<boolean> {
    const { end, content, replaces } = live;
    const chat = this.chat.peek();
    const isNext = content !== null && replaces === null && end?.facts?.message_count === this.length + 2;
    if (!chat || !end?.facts || !isNext) return false;
    const { facts } = end;
    const stored = storedExchange(live, this.current.peek().at(-1)?.message.id ?? null) ?? (await this.readPage(4));
    batch(() => {
      this.put(stored);
      this.actions.value = end.actions ?? [];
      this.chat.value = chatAfter(this.chat.peek() ?? chat, end, facts);
    });
    this.length += 2;
    return true;
  }

  put(read: Message[]): void {
    this.messages.value = mergeMessages(this.messages.peek(), read);
  }

  /** Adds or updates a pending action. */
  note(action: Action): void {
    this.forget(action);
    if (action.state === 'open') this.actions.value = [...this.actions.peek(), action];
  }

  /** Removes a decided action. */
  forget({ id }: Action): void {
    this.actions.value = this.actions.peek().filter((action) => action.id !== id);
  }

  private async readPage(limit: number, before?: number): Promise<Message[]> {
    const query = { branches: 'all', limit, ...(before !== undefined && { before }) } as const;
    return (await api.chat.listMessages({ path: { chat_id: this.id }, query })) as Message[];
  }
}

/** Whether a message may have pending actions. An MCP server may also ask during a call. */
function mayWait({ status, parts }: Message): boolean {
  const hasCalled = parts?.some(({ type }) => type === 'tool_call') === true;
  return status === 'requires_action' || (status === 'streaming' && hasCalled);
}
