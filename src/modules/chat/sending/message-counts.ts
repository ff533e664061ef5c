import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { execute } from '../../../database/statements/run-statement';
import { messageTexts, TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { ReplyBudget } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import type { StoredTurn } from './exchange-plan';
import type { StoredSubject } from './exchange-request';

/**
 * The maximum number of messages counted for one exchange. The next exchanges count the rest of a longer conversation.
 */
const MOST = 400;

type UncountedMessage = Pick<MessageEntity, 'id' | 'content' | 'parts'>;

/** Replies that may still grow. */
const UNFINISHED = "('streaming', 'requires_action')";

/**
 * Counts the tokens of a conversation's messages once, before an exchange under a budget with a hard limit. Most
 * conversations never need the count.
 */
@Injectable()
export class MessageCounts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly budget: ReplyBudget,
    private readonly bounds: TokenBounds,
  ) {}

  /**
   * @param userId only the messages of this user's conversation are counted
   * @param chatId null: the exchange creates the conversation
   */
  async prepare(
    userId: number,
    chatId: number | null,
    subject: StoredSubject,
    turns: readonly StoredTurn[],
  ): Promise<void> {
    if (await this.budget.holdsByCount(this.clock.now())) {
      await (chatId !== null && this.store(await this.findUncounted(userId, chatId)));
      // Last, because the cache may not keep the texts of a long conversation.
      const asked = 'content' in subject ? [{ content: subject.content }] : [];
      await this.bounds.count(
        messageTexts([...asked, ...turns.map(({ content, stored }) => ({ content, parts: stored }))]),
      );
    }
  }

  /** Counts texts that become known only when the exchange is planned. */
  async count(texts: readonly string[]): Promise<void> {
    await this.bounds.count(texts);
  }

  /** The newest messages without a count. */
  private findUncounted(userId: number, chatId: number): Promise<UncountedMessage[]> {
    const own = 'chat_id = (SELECT id FROM chats WHERE id = ? AND user_id = ?)';
    const condition = `${own} AND is_current = 1 AND counted_tokens IS NULL AND status NOT IN ${UNFINISHED}`;
    return findRows(
      this.database.manager,
      MessageEntity,
      { condition, parameters: [chatId, userId] },
      { members: ['id', 'content', 'parts'], order: { position: 'DESC', id: 'DESC' }, limit: MOST },
    );
  }

  private async store(messages: readonly UncountedMessage[]): Promise<void> {
    const counts = await this.countEach(messages);
    if (counts.size > 0) {
      await this.database.write((manager) => storeCounts(manager, counts));
    }
  }

  /** Tokens by message id, for the messages that could be counted. */
  private async countEach(messages: readonly UncountedMessage[]): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for (const message of messages) {
      // One by one, because the cache may not keep the texts of all.
      if (!(await this.bounds.count(messageTexts([message])))) {
        break;
      }
      counts.set(message.id, this.bounds.ofMessage(message));
    }
    return counts;
  }
}

/** Skips messages that another transaction has locked. The next exchange counts them. */
async function storeCounts(manager: EntityManager, counts: ReadonlyMap<number, number>): Promise<void> {
  const unlocked = await findRows(
    manager,
    MessageEntity,
    { id: In([...counts.keys()]) },
    { members: ['id'], lock: 'skip' },
  );
  if (unlocked.length > 0) {
    const ids = unlocked.map(({ id }) => id);
    const cases = ids.map(() => 'WHEN ? THEN ?').join(' ');
    const statement = `UPDATE chat_messages SET counted_tokens = CASE id ${cases} END
      WHERE id IN (${ids.map(() => '?').join(', ')})`;
    await execute(manager, statement, [...ids.flatMap((id) => [id, counts.get(id) ?? null]), ...ids]);
  }
}
