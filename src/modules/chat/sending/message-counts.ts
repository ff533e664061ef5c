import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { execute } from '../../../database/statements/run-statement';
import { textsOf, TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { ReplyBudget } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import type { StoredTurn } from './exchange-plan';
import type { StoredSubject } from './exchange-request';

/**
 * The maximum number of messages counted for one exchange. The next exchanges count the rest of a longer conversation.
 */
const MOST = 400;

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

  /** @param chatId null: the exchange creates the conversation */
  async prepare(chatId: number | null, subject: StoredSubject, turns: readonly StoredTurn[]): Promise<void> {
    if (await this.budget.holdsByCount(this.clock.now())) {
      const asked = 'content' in subject ? [{ content: subject.content }] : [];
      await this.bounds.count(textsOf([...asked, ...turns.map(({ content, stored }) => ({ content, parts: stored }))]));
      await (chatId !== null && this.store(chatId));
    }
  }

  /** Counts texts that become known only when the exchange is planned. */
  async count(texts: readonly string[]): Promise<void> {
    await this.bounds.count(texts);
  }

  private async store(chatId: number): Promise<void> {
    const uncounted = {
      condition: `chat_id = ? AND is_current = 1 AND counted_tokens IS NULL AND status NOT IN ${UNFINISHED}`,
      parameters: [chatId],
    };
    const members = ['id', 'content', 'parts'] as const;
    const rows = await findRows(this.database.manager, MessageEntity, uncounted, {
      members: [...members],
      order: { position: 'DESC', id: 'DESC' },
      limit: MOST,
    });
    if (rows.length === 0) {
      return;
    }
    await this.bounds.count(textsOf(rows));
    const counts = rows.flatMap((row) => [row.id, this.bounds.ofMessage(row)]);
    const cases = rows.map(() => 'WHEN ? THEN ?').join(' ');
    const ids = rows.map(({ id }) => id);
    const statement = `UPDATE chat_messages SET counted_tokens = CASE id ${cases} END
      WHERE chat_id = ? AND id IN (${ids.map(() => '?').join(', ')})`;
    await this.database.write((manager) => execute(manager, statement, [...counts, chatId, ...ids]));
  }
}
