import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { countRows, findRow, findRows, rowExists } from '../../../database/statements/find';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { AgentStatsService } from '../../agent/agent.api';
import { ReplyKnowledge, ReplyPieces } from '../../generation/generation.api';
import { type Keeper, StorageService } from '../../usage/usage.api';
import { MessageNotFoundError } from '../conversations/chat.errors';
import { NEWEST_MESSAGES, type ReadChat, type ReadMessage } from '../conversations/chat-queries';
import { MessageEntity } from '../conversations/message.entity';
import { feedbackEvent } from '../conversations/message.events';
import {
  BACKWARDS,
  FORWARDS,
  isAfter,
  isBefore,
  type MessageOrder,
  MessagePlace,
} from '../conversations/message-order';
import type { ListMessagesQueryDto } from './list-messages-query.dto';
import type { MessageFeedbackDto } from './message-feedback.dto';
import { countWithin, MESSAGE_BYTES, sizesOf } from './page-bytes';

/** Conversation, limit. The sizes of the rows of `NEWEST_MESSAGES`. */
const NEWEST_SIZES =
  `SELECT ${MESSAGE_BYTES} FROM chat_messages WHERE chat_id = ? AND is_current = 1 ` +
  'ORDER BY position DESC, id DESC LIMIT ?';

/** Messages of a page, and whether the byte limit cut it. */
interface CutPage {
  messages: ReadMessage[];
  isCut: boolean;
}

/** `current`: only the current line of the conversation; `all`: all messages. */
export type Branches = ListMessagesQueryDto['branches'];

/**
 * Reads and rates messages. The caller has checked that the conversation belongs to the user.
 *
 * This folder handles stored messages: `*.dto.ts` converts them for clients, `*.query.ts` reads them for other modules,
 * and `reply-failure.ts` converts the failure of a reply to its stored form and back to an error.
 */
@Injectable()
export class MessageService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly agentStats: AgentStatsService,
    private readonly storage: StorageService,
    private readonly pieces: ReplyPieces,
    private readonly knowledge: ReplyKnowledge,
  ) {}

  /**
   * The newest messages within the byte limit of a page, oldest first, and whether there are more.
   *
   * @param before only messages before this ID
   */
  async newest(
    chat: ReadChat,
    limit: number,
    branches: Branches,
    before?: number,
  ): Promise<{ messages: ReadMessage[]; hasMore: boolean }> {
    const { messages, isCut } = await this.backwards(chat, limit + 1, { branches, before });
    const shown = messages.slice(0, limit).reverse();
    await this.knowledge.fillRows(chat.userId, shown);
    return { messages: shown, hasMore: isCut || messages.length > limit };
  }

  /** One page of the messages, oldest first. Long messages make it shorter. */
  async list(chat: ReadChat, query: ListMessagesQueryDto): Promise<ListPart<ReadMessage>> {
    const { limit, before, after, branches } = query;
    const total =
      branches === 'all'
        ? await countRows(this.database.manager, MessageEntity, { chatId: chat.id })
        : chat.messageCount;
    if (after === undefined || before !== undefined) {
      const items = (await this.backwards(chat, limit, query)).messages.reverse();
      await this.knowledge.fillRows(chat.userId, items);
      return { items, total };
    }
    const { messages } = await this.cutPage(await this.partOf(chat, query), FORWARDS, limit);
    await this.knowledge.fillRows(chat.userId, messages);
    return { items: messages, total };
  }

  /**
   * @throws MessageNotFoundError if the conversation has no such reply
   * @throws StorageQuotaExceededError if a client stored the reply and the comment exceeds the user's quota
   */
  async rate(
    keeper: Keeper,
    chat: ReadChat,
    messageId: number,
    { rating, comment }: MessageFeedbackDto,
  ): Promise<MessageEntity> {
    const at = this.clock.now();
    const rated = await this.database.write(async (manager) => {
      // This update locks the row, so no other request changes the rating between the read below and the update.
      await updateRows(manager, MessageEntity, { updatedAt: at }, "id = ? AND chat_id = ? AND role = 'assistant'", [
        messageId,
        chat.id,
      ]);
      const message = await findRow(manager, MessageEntity, { id: messageId, chatId: chat.id, role: 'assistant' });
      if (message === null) {
        throw new MessageNotFoundError();
      }
      const { feedbackRating: previous, feedbackComment: previousComment } = message;
      const feedback = {
        feedbackRating: rating,
        feedbackComment: rating === null ? null : (comment ?? null),
        feedbackAt: rating === null ? null : at,
        updatedAt: at,
      };
      await updateRows(manager, MessageEntity, feedback, { id: messageId });
      const added = bytesOf(feedback.feedbackComment) - bytesOf(previousComment);
      await this.storage.changeText(manager, keeper, messageId, added);
      await this.agentStats.recordFeedback(manager, chat.agentId, previous, rating, at);
      // Publishes no event if nothing changed.
      if (rating !== previous || feedback.feedbackComment !== previousComment) {
        await this.events.publish(manager, feedbackEvent(chat, message, rating, feedback.feedbackComment));
      }
      return Object.assign(message, feedback);
    });
    await this.knowledge.fillRows(chat.userId, [rated]);
    return rated;
  }

  /** Whether the user stopped the reply. */
  isStopped(id: number): Promise<boolean> {
    return rowExists(this.database.manager, MessageEntity, { id, status: 'stopped' });
  }

  /** The reply that started last; null in a conversation without replies. */
  async findLastReply({ lastReplyId }: ReadChat): Promise<MessageEntity | null> {
    return lastReplyId === null ? null : findRow(this.database.manager, MessageEntity, { id: lastReplyId });
  }

  /** The last messages of a range, newest first. */
  private async backwards(
    chat: ReadChat,
    limit: number,
    range: Pick<ListMessagesQueryDto, 'branches' | 'before' | 'after'>,
  ): Promise<CutPage> {
    if (range.branches === 'current' && range.before === undefined && range.after === undefined) {
      const { manager } = this.database;
      const { rows } = await runStatement(manager, NEWEST_SIZES, [chat.id, limit]);
      const count = countWithin(rows.map(([size]) => Number(size)));
      const messages = await NEWEST_MESSAGES.all(manager, [chat.id, count]);
      return { messages: await this.pieces.complete(MessageEntity, messages), isCut: count < rows.length };
    }
    return this.cutPage(await this.partOf(chat, range), BACKWARDS, limit);
  }

  private async partOf(
    chat: ReadChat,
    { branches, before, after }: Pick<ListMessagesQueryDto, 'branches' | 'before' | 'after'>,
  ): Promise<RowCondition> {
    const conditions: RowCondition[] = [{ condition: 'chat_id = ?', parameters: [chat.id] }];
    if (branches === 'current') {
      conditions.push({ condition: 'is_current = ?', parameters: [true] });
    }
    if (before !== undefined) {
      conditions.push(isBefore(await this.placeOf(chat, before)));
    }
    if (after !== undefined) {
      conditions.push(isAfter(await this.placeOf(chat, after)));
    }
    return allOf(...conditions);
  }

  private async placeOf({ id: chatId }: ReadChat, id: number): Promise<MessagePlace> {
    const message = await findRow(
      this.database.manager,
      MessageEntity,
      { id, chatId },
      { members: ['id', 'position'] },
    );
    return { id, position: message?.position ?? null };
  }

  /** The first messages of a range that fit into a page. */
  private async cutPage(part: RowCondition, order: MessageOrder, limit: number): Promise<CutPage> {
    const { manager } = this.database;
    const sizes = await sizesOf(manager, part, order, limit);
    const count = countWithin(sizes);
    const messages = count === 0 ? [] : await findRows(manager, MessageEntity, part, { order, limit: count });
    return { messages: await this.pieces.complete(MessageEntity, messages), isCut: count < sizes.length };
  }
}

function bytesOf(text: string | null): number {
  return Buffer.byteLength(text ?? '');
}
