import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In, IsNull, LessThanOrEqual } from 'typeorm';
import { DomainEvents } from '../../common/events/domain-events';
import { Lifecycle } from '../../common/lifecycle';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { allOf, idIn, rowCondition } from '../../database/statements/row-condition';
import { updateRows } from '../../database/statements/update';
import { BlobReferences } from '../../integrations/blob-store/blob-references';
import { ToolApprovals, WaitingReplies } from '../generation/generation.api';
import { ConversationMasks, GuardTraces } from '../guard/guard.api';
import { isHeld, LegalHolds } from '../hold/hold.api';
import { ChatFiles } from '../knowledge/knowledge.api';
import { StorageService } from '../usage/usage.api';
import { ErasurePauseConfig } from '../user/user.api';
import { ChatReadService } from './chats/chat-read.service';
import { ChatEntity } from './conversations/chat.entity';
import { MessageEntity } from './conversations/message.entity';
import { ConversationHistory } from './history/conversation-history';
import { MessageIndex } from './search/message-index';

/** Rows in one transaction. Other writers run between two transactions. */
const BATCH = 500;

const NOT_HELD = { condition: `NOT ${isHeld('chats.user_id', 'chats.id')}`, parameters: [] };

const COUNTED_MESSAGE = {
  condition:
    '(EXISTS (SELECT 1 FROM usage_stored_texts counted_text WHERE counted_text.message_id = chat_messages.id) OR ' +
    'EXISTS (SELECT 1 FROM blob_references counted_file WHERE counted_file.message_id = chat_messages.id ' +
    'AND counted_file.user_id > 0))',
  parameters: [],
};

/** Conversations that a hold keeps, and that still count for their owners. */
const COUNTED = {
  condition:
    `${isHeld('chats.user_id', 'chats.id')} AND ` +
    '(EXISTS (SELECT 1 FROM usage_stored_metadata counted_data WHERE counted_data.chat_id = chats.id) OR EXISTS ' +
    `(SELECT 1 FROM chat_messages WHERE chat_messages.chat_id = chats.id AND ${COUNTED_MESSAGE.condition}))`,
  parameters: [],
};

type OwnedChat = Pick<ChatEntity, 'id' | 'userId'>;

/** Erases conversations whose time in the trash is over, and unreferenced files. */
@Injectable()
export class ChatRetention {
  private readonly logger = new Logger(ChatRetention.name);

  constructor(
    private readonly database: Database,
    private readonly reading: ChatReadService,
    private readonly history: ConversationHistory,
    private readonly lifecycle: Lifecycle,
    private readonly index: MessageIndex,
    private readonly files: BlobReferences,
    private readonly storage: StorageService,
    private readonly runs: WaitingReplies,
    private readonly approvals: ToolApprovals,
    private readonly searched: ChatFiles,
    private readonly guards: GuardTraces,
    private readonly masks: ConversationMasks,
    private readonly holds: LegalHolds,
    private readonly pause: ErasurePauseConfig,
    background: BackgroundWork,
    events: DomainEvents,
  ) {
    const loop = background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'The trash could not be emptied.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
    // What was deleted during a legal hold is due when it ends.
    events.on('hold.released', () => Promise.resolve(database.onCommit(() => loop.wake())));
  }

  /** Erases all data that is due, except conversations under a legal hold. */
  async purge(): Promise<null> {
    if (this.pause.RETENTION_PAUSED) {
      return null;
    }
    await this.releaseFiles();
    const { manager } = this.database;
    for (;;) {
      // A running reply must end first.
      const due = { deletedAt: LessThanOrEqual(this.reading.purgeLimit()), activeMessageId: IsNull() };
      const where = allOf(rowCondition(manager, ChatEntity, due), NOT_HELD);
      const options = { members: ['id'], limit: BATCH, withDeleted: true } as const;
      const chats = await findRows(manager, ChatEntity, where, options);
      if (chats.length === 0) {
        await this.disownHeld();
        return null;
      }
      await this.erase(chats.map(({ id }) => id));
    }
  }

  /** What a legal hold keeps beyond its time in the trash does not count for its owner any more. */
  private async disownHeld(): Promise<void> {
    const { manager } = this.database;
    const due = { deletedAt: LessThanOrEqual(this.reading.purgeLimit()), activeMessageId: IsNull() };
    const where = allOf(rowCondition(manager, ChatEntity, due), COUNTED);
    for (;;) {
      const chats = await findRows(manager, ChatEntity, where, { members: ['id'], limit: BATCH, withDeleted: true });
      if (chats.length === 0) {
        return;
      }
      await this.disown(chats.map(({ id }) => id));
    }
  }

  /** Conversations stay stored, but do not count for their owners any more. */
  async disown(chatIds: readonly number[]): Promise<void> {
    const counted = allOf(idIn(chatIds, 'chat_id'), COUNTED_MESSAGE);
    await this.database.write((manager) => this.storage.removeMetadata(manager, chatIds));
    for (let found = BATCH; found === BATCH;) {
      this.lifecycle.assertAcceptsWork();
      const options = { members: ['id' as const], limit: BATCH };
      const messages = await findRows(this.database.manager, MessageEntity, counted, options);
      const ids = messages.map(({ id }) => id);
      if (ids.length > 0) {
        await this.database.write((manager) => this.storage.disown(manager, ids));
      }
      found = ids.length;
    }
  }

  /**
   * Removes the file references of erased messages. Release 1.0.0, which may run concurrently during a rolling update,
   * erases messages without removing these references.
   */
  private async releaseFiles(): Promise<void> {
    for (let after = 0; ;) {
      const ids = await this.files.nextMessages(after, BATCH);
      if (ids.length === 0) {
        return;
      }
      // A reference is committed together with its message. If the reference is visible, its message is too.
      const found = await findRows(this.database.manager, MessageEntity, { id: In(ids) }, { members: ['id'] });
      const kept = new Set(found.map(({ id }) => id));
      const gone = ids.filter((id) => !kept.has(id));
      if (gone.length > 0) {
        await this.database.write((manager) => this.storage.remove(manager, gone));
      }
      after = ids.at(-1) as number;
    }
  }

  /**
   * Erases conversations with all their messages, in batches. What a legal hold covers stays, also if the hold begins
   * between two batches.
   *
   * @param afterBatch called with the number of messages that a batch erased
   * @throws ServiceUnavailableError between two batches when the process shuts down
   */
  async erase(chatIds: number[], afterBatch?: (messages: number) => Promise<void>): Promise<void> {
    let erased = 0;
    const { manager: reader } = this.database;
    const owned = { members: ['id', 'userId'], withDeleted: true } as const;
    let chats: OwnedChat[] = await findRows(reader, ChatEntity, { id: In(chatIds) }, owned);
    for (;;) {
      this.lifecycle.assertAcceptsWork();
      const ofChats = { chatId: In(chats.map(({ id }) => id)) };
      const messages = await findRows(reader, MessageEntity, ofChats, { members: ['id', 'chatId'], limit: BATCH });
      if (messages.length === 0) {
        break;
      }
      chats = await this.database.write(async (manager) => {
        const free = await this.withoutHeld(manager, chats);
        const freeIds = new Set(free.map(({ id }) => id));
        const ids = messages.filter(({ chatId }) => freeIds.has(chatId)).map(({ id }) => id);
        if (ids.length > 0) {
          await deleteRows(manager, MessageEntity, { id: In(ids) });
          await this.runs.forget(manager, ids);
          await this.guards.forgetMessages(manager, ids);
          await this.storage.remove(manager, ids);
        }
        erased = ids.length;
        return free;
      });
      await afterBatch?.(erased);
    }
    if (chats.length > 0) {
      await this.index.removeChats(chats.map(({ id }) => id));
      await this.database.write((manager) => this.eraseEmpty(manager, chats));
    }
  }

  /** Conversations of an erased account that a legal hold keeps. They are due when it ends. */
  async hideRest(userId: number): Promise<void> {
    const deletedAt = this.reading.purgeLimit();
    const rest = { userId, deletedAt: IsNull() };
    await this.database.write((manager) => updateRows(manager, ChatEntity, { deletedAt }, rest));
  }

  /** Erases conversations whose messages are gone. */
  private async eraseEmpty(manager: EntityManager, chats: readonly OwnedChat[]): Promise<void> {
    const free = await this.withoutHeld(manager, chats);
    const ids = free.map(({ id }) => id);
    await deleteRows(manager, ChatEntity, { id: In(ids) });
    await this.searched.forget(manager, ids);
    await this.storage.removeMetadata(manager, ids);
    await this.guards.forgetChats(manager, ids);
    await this.masks.forget(manager, ids);
    await this.approvals.forgetChats(manager, [...new Set(free.map(({ userId }) => userId))], ids);
    this.history.forgetOnCommit(ids);
  }

  /** The conversations that no legal hold keeps. No hold begins until the transaction ends. */
  private async withoutHeld(manager: EntityManager, chats: readonly OwnedChat[]): Promise<OwnedChat[]> {
    await this.holds.lockForDeletion(manager);
    const held = await this.holds.heldChats(manager, chats);
    return chats.filter(({ id }) => !held.has(id));
  }
}
