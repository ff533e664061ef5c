import { batch, computed, signal } from '@preact/signals';
import { api } from '../../../../app/api';
import type { Action, Chat, Message } from '../types';
import { currentBranch, mergeMessages } from './branch';
import type { LiveReply } from './live-reply';
import { chatAfter, storedExchange } from './stored-exchange';

/** What is stored of one chat, as far as it was read here. */
export class StoredChat {
  readonly chat = signal<Chat | null>(null);
  /** Of all branches. */
  readonly messages = signal<Message[]>([]);
  readonly hasOlder = signal(false);
  /** What the current branch waits for, the oldest first. */
  readonly actions = signal<Action[]>([]);
  /** The messages of the current branch, with their versions. */
  readonly current = computed(() => currentBranch(this.messages.value));
  /** How many messages the branch had when it was read last, with those that came since. */
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
    // A page may end before its limit, because of its size.
    this.hasOlder.value = older.length === 100 || (older[0]?.parent_id ?? null) !== null;
    this.messages.value = [...older, ...this.messages.peek()];
  }

  /**
   * Takes a new message and its reply, which has ended. Mostly the service need not be asked for them.
   *
   * @returns false when what came does not say all: a version of what is there changes the branch, and another device may
   *   have written meanwhile
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

  /** One is asked, or is no longer. */
  note(action: Action): void {
    this.forget(action);
    if (action.state === 'open') this.actions.value = [...this.actions.peek(), action];
  }

  /** It is decided. */
  forget({ id }: Action): void {
    this.actions.value = this.actions.peek().filter((action) => action.id !== id);
  }

  private async readPage(limit: number, before?: number): Promise<Message[]> {
    const query = { branches: 'all', limit, ...(before !== undefined && { before }) } as const;
    return (await api.chat.listMessages({ path: { chat_id: this.id }, query })) as Message[];
  }
}

/** Whether something may be asked: also while a call is made, its server may want to know something. */
function mayWait({ status, parts }: Message): boolean {
  const hasCalled = parts?.some(({ type }) => type === 'tool_call') === true;
  return status === 'requires_action' || (status === 'streaming' && hasCalled);
}
