import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { countRows, findRows } from '../../../database/statements/find';
import { allOf, idIn, type RowCondition } from '../../../database/statements/row-condition';
import { updateRows } from '../../../database/statements/update';
import { WaitingReplies } from '../../generation/generation.api';
import { isHeld, LegalHolds } from '../../hold/hold.api';
import { type Removed, RetainedData, type RetainedRows } from '../../retention/retention.api';
import { ChatRetention } from '../chat.retention';
import { ChatReadService } from '../chats/chat-read.service';
import { ChatEntity } from '../conversations/chat.entity';
import { chatEvent } from '../conversations/chat.events';
import { ChatCounts } from '../conversations/chat-counts';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory } from '../history/conversation-history';

/** Conversations in one transaction. */
const BATCH = 200;

type HiddenChat = Pick<ChatEntity, 'id' | 'userId' | 'lineEndId' | 'deletedAt'>;

/** Deletes conversations by retention policies, without the trash. A running reply postpones its conversation. */
@Injectable()
export class ExpiredChats {
  constructor(
    private readonly database: Database,
    private readonly reading: ChatReadService,
    private readonly counts: ChatCounts,
    private readonly events: DomainEvents,
    private readonly erasing: ChatRetention,
    private readonly waitingReplies: WaitingReplies,
    private readonly history: ConversationHistory,
    private readonly holds: LegalHolds,
    data: RetainedData,
  ) {
    const rows = {
      kind: 'chats',
      entity: ChatEntity,
      id: 'id',
      owner: 'chats.user_id',
      held: isHeld('chats.user_id', 'chats.id'),
      hidesHeld: true,
      batch: BATCH,
      measure: (manager, due) => this.measure(manager, due),
      remove: (ids, due, pause) => this.remove(ids, due, pause),
    } satisfies Omit<RetainedRows<ChatEntity>, 'at' | 'condition'>;
    data.add<ChatEntity>({ ...rows, at: 'lastMessageAt', condition: () => this.mayGo() });
    const isEmpty = { condition: 'chats.last_message_at IS NULL', parameters: [] };
    data.add<ChatEntity>({ ...rows, at: 'createdAt', condition: () => allOf(isEmpty, this.mayGo()) });
  }

  /** What the trash has lost already is erased by `ChatRetention`, unless a hold keeps it. */
  private mayGo(): RowCondition {
    return {
      // With IS NULL, SQLite would take the index on the running reply, and read all conversations.
      condition: 'COALESCE(chats.active_message_id, 0) = 0 AND (chats.deleted_at IS NULL OR chats.deleted_at > ?)',
      parameters: [this.reading.purgeLimit()],
    };
  }

  private async measure(
    manager: EntityManager,
    { condition, parameters }: RowCondition,
  ): Promise<{ messages: number }> {
    const ofChats = `chat_id IN (SELECT chats.id FROM chats WHERE ${condition})`;
    return { messages: await countRows(manager, MessageEntity, { condition: ofChats, parameters }) };
  }

  /**
   * Hides the conversations at once, as if their time in the trash were over. So none of them is ever seen in parts,
   * although its messages take several transactions, and an interrupted deletion is completed with the trash.
   */
  private async remove(ids: number[], due: RowCondition, pause: () => Promise<void>): Promise<Removed> {
    const { hidden, held } = await this.database.write((manager) => this.hide(manager, ids, due));
    await this.endWaiting(hidden);
    if (held.size > 0) {
      await this.erasing.disown([...held]);
    }
    const free = hidden.filter(({ id }) => !held.has(id)).map(({ id }) => id);
    if (free.length === 0) {
      return { deleted: {}, held: held.size };
    }
    await pause();
    let messages = 0;
    await this.erasing.erase(free, (erased) => {
      messages += erased;
      return pause();
    });
    return { deleted: { chats: free.length, messages }, held: held.size };
  }

  private async hide(
    manager: EntityManager,
    ids: number[],
    due: RowCondition,
  ): Promise<{ hidden: HiddenChat[]; held: ReadonlySet<number> }> {
    const locked = { members: ['id'], order: { id: 'ASC' }, lock: 'wait', withDeleted: true } as const;
    await findRows(manager, ChatEntity, { id: In(ids) }, locked);
    // A message or a share may have come since the rows were found.
    const chats = await findRows(manager, ChatEntity, allOf(idIn(ids, 'chats.id'), due), { withDeleted: true });
    await this.holds.lockForDeletion(manager);
    const held = await this.holds.heldChats(manager, chats);
    const dueIds = chats.map(({ id }) => id);
    await updateRows(manager, ChatEntity, { deletedAt: this.reading.purgeLimit() }, { id: In(dueIds) });
    const seen = chats.filter(({ deletedAt }) => deletedAt === null);
    for (const chat of seen) {
      await this.counts.removed(manager, chat);
    }
    await this.events.publishAll(
      manager,
      seen.map((chat) => chatEvent('chat.deleted', chat, { reason: 'retention' })),
    );
    this.history.forgetOnCommit(dueIds);
    return { hidden: chats, held };
  }

  /** Cancels the actions that wait for a decision, as moving to the trash does. */
  private async endWaiting(chats: readonly HiddenChat[]): Promise<void> {
    const ends = chats.flatMap(({ lineEndId }) => lineEndId ?? []);
    const waiting = { id: In(ends), status: 'requires_action' as const };
    for (const { id } of await findRows(this.database.manager, MessageEntity, waiting, { members: ['id'] })) {
      await this.waitingReplies.end(id, 'stopped');
    }
  }
}
