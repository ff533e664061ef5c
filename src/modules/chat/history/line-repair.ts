import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { findLocked } from '../../../database/statements/row-lock';
import { runForRow, runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory } from './conversation-history';

/** How many of the newest messages a start looks at, and how many one step reads. */
const LOOKED_BACK = 50_000;
const BATCH = 2_000;

/** Of those that were there at the last look so many are looked at again, because ids are not in the order of commits. */
const LOOKED_AGAIN = 1_000;

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
  /** Up to which message it has looked; infinity: at none. */
  private last = Infinity;
  /** Whether there was more than one batch, and this one is not the last. */
  private isUnderWay = false;

  constructor(
    private readonly database: Database,
    private readonly history: ConversationHistory,
    background: BackgroundWork,
  ) {
    background.add({
      step: async () => ((await this.look()) ? PAUSE_MILLISECONDS : null),
      onError: (error) => this.logger.warn({ error }, 'Messages without a parent could not be looked for.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
  }

  /** Looks at one batch. @returns whether there are more */
  async look(): Promise<boolean> {
    const { manager } = this.database;
    const from = this.isUnderWay ? this.last : await this.beginning();
    const { rows } = await runStatement(manager, LACKING, [from, BATCH]);
    const chatIds = new Set(rows.flatMap(([, chatId]) => (chatId === null ? [] : [Number(chatId)])));
    for (const chatId of chatIds) {
      await this.database.write((unit) => this.repair(unit, chatId));
    }
    this.last = Number(rows.at(-1)?.[0] ?? from);
    this.isUnderWay = rows.length === BATCH;
    return this.isUnderWay;
  }

  /** Behind which message it looks: the last one, or some before. */
  private async beginning(): Promise<number> {
    const back = this.last === Infinity ? LOOKED_BACK : LOOKED_AGAIN;
    const first = await runForRow(this.database.manager, FIRST, [back]);
    return Math.min(this.last, Number(first?.[0] ?? 0));
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
