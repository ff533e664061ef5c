import { Injectable, Logger } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual } from 'typeorm';
import { Lifecycle } from '../../common/lifecycle';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { BlobReferences } from '../../integrations/blob-store/blob-references';
import { ToolApprovals, WaitingReplies } from '../generation/generation.api';
import { ConversationMasks, GuardTraces } from '../guard/guard.api';
import { ChatFiles } from '../knowledge/knowledge.api';
import { StorageService } from '../usage/usage.api';
import { ChatReadService } from './chats/chat-read.service';
import { ChatEntity } from './conversations/chat.entity';
import { MessageEntity } from './conversations/message.entity';
import { ConversationHistory } from './history/conversation-history';
import { MessageIndex } from './search/message-index';

/** Rows in one transaction. Other writers run between two transactions. */
const BATCH = 500;

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
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'The trash could not be emptied.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Erases all data that is due. */
  async purge(): Promise<null> {
    await this.releaseFiles();
    for (;;) {
      // A running reply must end first.
      const due = { deletedAt: LessThanOrEqual(this.reading.purgeLimit()), activeMessageId: IsNull() };
      const options = { members: ['id'], limit: BATCH, withDeleted: true } as const;
      const chats = await findRows(this.database.manager, ChatEntity, due, options);
      if (chats.length === 0) {
        return null;
      }
      await this.erase(chats.map(({ id }) => id));
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
   * Erases conversations with all their messages, in batches.
   *
   * @throws ServiceUnavailableError between two batches when the process shuts down
   */
  async erase(chatIds: number[]): Promise<void> {
    for (;;) {
      this.lifecycle.assertAcceptsWork();
      const messages = await findRows(
        this.database.manager,
        MessageEntity,
        { chatId: In(chatIds) },
        { members: ['id'], limit: BATCH },
      );
      if (messages.length === 0) {
        break;
      }
      const ids = messages.map(({ id }) => id);
      await this.database.write(async (manager) => {
        await deleteRows(manager, MessageEntity, { id: In(ids) });
        await this.runs.forget(manager, ids);
        await this.guards.forgetMessages(manager, ids);
        await this.storage.remove(manager, ids);
      });
    }
    await this.index.removeChats(chatIds);
    await this.database.write(async (manager) => {
      const owned = { members: ['userId'], withDeleted: true } as const;
      const owners = await findRows(manager, ChatEntity, { id: In(chatIds) }, owned);
      await deleteRows(manager, ChatEntity, { id: In(chatIds) });
      await this.searched.forget(manager, chatIds);
      await this.storage.removeMetadata(manager, chatIds);
      await this.guards.forgetChats(manager, chatIds);
      await this.masks.forget(manager, chatIds);
      await this.approvals.forgetChats(manager, [...new Set(owners.map(({ userId }) => userId))], chatIds);
      this.history.forgetOnCommit(chatIds);
    });
  }
}
