import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SettledIds } from '../../../database/settled-ids';
import { SharedClock } from '../../../database/shared-clock';
import { findLocked } from '../../../database/statements/row-lock';
import { runForRow, runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory } from './conversation-history';

/** How many of the newest messages a start looks at, and how many one step reads. */
const LOOKED_BACK = 50_000;
const BATCH = 2_000;

/** Between two steps while there are more. */
const PAUSE_MILLISECONDS = 50;

const FIRST = 'SELECT id FROM chat_messages ORDER BY id DESC LIMIT 1 OFFSET ?';

/** Messages in the order of their ids, and the conversations of those that lack what they follow. */
const LACKING = `
  SELECT id, CASE WHEN role = 'user' AND parent_id IS NULL AND position > 0 AND is_current = 1 THEN chat_id END
  FROM chat_messages WHERE id > ? ORDER BY id LIMIT ?`;

const LINE = `
  SELECT id, role, parent_id, position FROM chat_messages WHERE chat_id = ? AND is_current = 1 ORDER BY position, id`;

/**
 * Gives messages the parents that a version from before there were lines did not write: in a rolling update it works beside
 * this one. Looks at what is new, and at the start at what was written shortly before.
 */
@Injectable()
export class LineRepair {
  private readonly logger = new Logger(LineRepair.name);
  private readonly settledIds: SettledIds;
  /** Behind which message the next look begins; null: none has begun. */
  private next: number | null = null;
  /** Up to which message the look has come that is under way; null: none is. */
  private reached: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly history: ConversationHistory,
    clock: SharedClock,
    background: BackgroundWork,
  ) {
    this.settledIds = new SettledIds(clock);
    background.add({
      step: async () => ((await this.look()) ? PAUSE_MILLISECONDS : null),
      onError: (error) => this.logger.warn({ error }, 'Messages without a parent could not be looked for.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
  }

  /** Looks at one batch. @returns whether there are more */
  async look(): Promise<boolean> {
    const from = this.reached ?? (await this.begin());
    const { rows } = await runStatement(this.database.manager, LACKING, [from, BATCH]);
    const chatIds = new Set(rows.flatMap(([, chatId]) => (chatId === null ? [] : [Number(chatId)])));
    for (const chatId of chatIds) {
      await this.database.write((unit) => this.repair(unit, chatId));
    }
    const last = Number(rows.at(-1)?.[0] ?? from);
    const hasMore = rows.length === BATCH;
    this.reached = hasMore ? last : null;
    if (!hasMore) {
      this.settledIds.see(last);
    }
    return hasMore;
  }

  /**
   * Behind which message a look begins: the last before which none could come any more when the look before it began, because
   * ids are not in the order of commits.
   */
  private async begin(): Promise<number> {
    const from = this.next ?? Number((await runForRow(this.database.manager, FIRST, [LOOKED_BACK]))?.[0] ?? 0);
    this.next = this.settledIds.limit ?? from;
    this.reached = from;
    return from;
  }

  private async repair(manager: EntityManager, chatId: number): Promise<void> {
    const chat = await findLocked(manager, ChatEntity, { id: chatId });
    if (chat === null) {
      return;
    }
    const { rows: line } = await runStatement(manager, LINE, [chatId]);
    for (const [index, [id, role, parentId, position]] of line.entries()) {
      const before = line[index - 1];
      if (role === 'user' && parentId === null && Number(position) > 0 && before !== undefined) {
        const condition = 'id = ? AND chat_id = ? AND parent_id IS NULL';
        await updateRows(manager, MessageEntity, { parentId: Number(before[0]) }, condition, [Number(id), chatId]);
      }
    }
    // While a reply is written, its end says where the line ends.
    const condition = 'id = ? AND active_message_id IS NULL';
    await updateRows(manager, ChatEntity, { lineEndId: Number(line.at(-1)?.[0]) }, condition, [chatId]);
    this.history.forgetOnCommit([chatId]);
  }
}
