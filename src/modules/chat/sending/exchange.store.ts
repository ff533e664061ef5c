import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tier } from '../../../common/security/principal';
import { insertRow, updateRows } from '../../../database/row-statements';
import { ChatConfig } from '../chat.config';
import { ChatNotFoundError, GenerationInProgressError, TooManyConcurrentError } from '../chat.errors';
import { ChatEntity } from '../entities/chat.entity';
import { MessageEntity } from '../entities/message.entity';
import { ReplyRegistry } from '../reply/reply-registry';
import type { ChatForSending } from './chat-for-sending';

/** A conversation, and the place in it that an exchange has. */
type ExchangePlace = Pick<MessageEntity, 'chatId' | 'position'>;

/** The rows with which an exchange begins. All methods run within `Database.write`. */
@Injectable()
export class ExchangeStore {
  constructor(
    private readonly config: ChatConfig,
    private readonly registry: ReplyRegistry,
  ) {}

  /** Stores what the user wrote; answers its id. */
  insertUserMessage(
    manager: EntityManager,
    place: ExchangePlace & Pick<MessageEntity, 'parentId'>,
    message: Pick<MessageEntity, 'content' | 'language' | 'tokenCount'>,
    at: Date,
  ): Promise<number> {
    return insertRow(manager, MessageEntity, {
      ...place,
      ...message,
      role: 'user',
      status: 'completed',
      isCurrent: true,
      createdAt: at,
      updatedAt: at,
      completedAt: at,
    });
  }

  /** Stores a reply that this process is about to write; answers its id. */
  insertReply(manager: EntityManager, place: ExchangePlace, userMessageId: number, at: Date): Promise<number> {
    return insertRow(manager, MessageEntity, {
      ...place,
      role: 'assistant',
      content: '',
      status: 'streaming',
      parentId: userMessageId,
      isCurrent: true,
      tokenCount: 0,
      ownerId: this.registry.ownerId,
      createdAt: at,
      updatedAt: at,
    });
  }

  /**
   * Takes the conversation for this reply, if it is free and as it was read. The condition is in the statement itself, so
   * that of two sends at once, on whatever instances, one gets it, and no message follows a line that is no longer current.
   *
   * @param end the reply, which is the end of the line from now on, and how many messages that has
   * @throws GenerationInProgressError, ChatNotFoundError
   */
  async claimChat(
    manager: EntityManager,
    { id, lineEndId }: Pick<ChatForSending, 'id' | 'lineEndId'>,
    userId: number,
    begun: { messageId: number; messageCount: number; formerLineEndId: number | null },
    at: Date,
  ): Promise<void> {
    const claimed = await updateRows(
      manager,
      ChatEntity,
      {
        activeMessageId: begun.messageId,
        lineEndId: begun.messageId,
        formerLineEndId: begun.formerLineEndId,
        lastReplyId: begun.messageId,
        messageCount: begun.messageCount,
        lastMessageAt: at,
        updatedAt: at,
      },
      'id = ? AND user_id = ? AND active_message_id IS NULL AND deleted_at IS NULL AND COALESCE(line_end_id, 0) = ?',
      [id, userId, lineEndId ?? 0],
    );
    if (claimed === 0) {
      const busy = await manager.findOneBy(ChatEntity, { id, userId });
      throw busy ? new GenerationInProgressError(busy.activeMessageId) : new ChatNotFoundError();
    }
  }

  /**
   * Call it last, when the user's own rows are locked: two sends of one user then see each other.
   *
   * @throws TooManyConcurrentError when this reply is one too many.
   */
  async assertMayRun(manager: EntityManager, userId: number, tier: Tier): Promise<void> {
    const [row]: { running: number | string }[] = await manager.query(
      'SELECT COUNT(*) AS running FROM chats WHERE active_message_id IS NOT NULL AND user_id = ?',
      [userId],
    );
    const limit = this.limitOf(tier);
    if (Number(row?.running) > limit) {
      throw new TooManyConcurrentError(limit);
    }
  }

  private limitOf(tier: Tier): number {
    const { CONCURRENT_NORMAL, CONCURRENT_PAID, CONCURRENT_ADMIN } = this.config;
    return { normal: CONCURRENT_NORMAL, paid: CONCURRENT_PAID, admin: CONCURRENT_ADMIN }[tier];
  }
}
