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
import { setParents } from '../conversations/message-parents';
import { ConversationHistory } from './conversation-history';

/** How many of the newest messages are checked after a start, and how many one step reads. */
const LOOKED_BACK = 50_000;
const BATCH = 2_000;

/** Pause between two steps, in milliseconds, while there are more messages. */
const PAUSE_MILLISECONDS = 50;

const FIRST = 'SELECT id FROM chat_messages ORDER BY id DESC LIMIT 1 OFFSET ?';

/** Messages by ID, with the conversation of each message that lacks its parent. */
const LACKING = `
  SELECT id, CASE WHEN role = 'user' AND parent_id IS NULL AND position > 0 AND is_current = 1 THEN chat_id END
  FROM chat_messages WHERE id > ? ORDER BY id LIMIT ?`;

/** Messages of a line that one transaction reads. */
const PART = 500;

/** Conversation, position, position, ID, limit. */
const LINE = `
  SELECT id, role, parent_id, position FROM chat_messages
  WHERE chat_id = ? AND is_current = 1 AND position >= ? AND (position > ? OR id > ?) ORDER BY position, id LIMIT ?`;

/** Conversation, position, position, ID. The message before such a part. */
const BEFORE = `
  SELECT id FROM chat_messages
  WHERE chat_id = ? AND is_current = 1 AND position <= ? AND (position < ? OR id <= ?)
  ORDER BY position DESC, id DESC LIMIT 1`;

/** A place on a line; the messages after it have not been checked. */
interface Place {
  position: number;
  id: number;
}

/**
 * Sets the parents of messages that an older version, which may run concurrently during a rolling update, stored
 * without them. Checks new messages continuously, and recent ones after a start.
 */
@Injectable()
export class LineRepair {
  private readonly logger = new Logger(LineRepair.name);
  private readonly settledIds: SettledIds;
  /** The message after which the next scan starts; null before the first scan. */
  private next: number | null = null;
  /** The last message that the running scan has checked; null if no scan is running. */
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

  /**
   * Checks one batch.
   *
   * @returns whether there are more
   */
  async look(): Promise<boolean> {
    const from = this.reached ?? (await this.begin());
    const { rows } = await runStatement(this.database.manager, LACKING, [from, BATCH]);
    const chatIds = new Set(rows.flatMap(([, chatId]) => (chatId === null ? [] : [Number(chatId)])));
    for (const chatId of chatIds) {
      await this.repair(chatId);
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
   * The message after which a scan starts: the last one that was settled when the previous scan started, because IDs do
   * not follow the order of commits.
   */
  private async begin(): Promise<number> {
    const from = this.next ?? Number((await runForRow(this.database.manager, FIRST, [LOOKED_BACK]))?.[0] ?? 0);
    this.next = this.settledIds.limit ?? from;
    this.reached = from;
    return from;
  }

  /** Works in parts, because each part blocks writes to the conversation, and on SQLite all writes. */
  private async repair(chatId: number): Promise<void> {
    let place: Place | null = { position: 0, id: 0 };
    while (place !== null) {
      const from: Place = place;
      place = await this.database.write((manager) => this.repairPart(manager, chatId, from));
    }
  }

  /** @returns the start of the next part; null if there is none */
  private async repairPart(manager: EntityManager, chatId: number, from: Place): Promise<Place | null> {
    const chat = await findLocked(manager, ChatEntity, { id: chatId });
    if (chat === null) {
      return null;
    }
    const { position: reached, id: lastId } = from;
    const { rows: line } = await runStatement(manager, LINE, [chatId, reached, reached, lastId, PART]);
    // The line may have changed since the previous part.
    const [before] = (await runForRow(manager, BEFORE, [chatId, reached, reached, lastId])) ?? [];
    const parents = new Map<number, number>();
    for (const [index, [id, role, parentId, position]] of line.entries()) {
      const parent = index === 0 ? before : line[index - 1]?.[0];
      if (role === 'user' && parentId === null && Number(position) > 0 && parent !== undefined) {
        parents.set(Number(id), Number(parent));
      }
    }
    await setParents(manager, chatId, parents);
    const [id, , , position] = line.at(-1) ?? [before];
    this.history.forgetOnCommit([chatId]);
    if (line.length === PART) {
      return { position: Number(position), id: Number(id) };
    }
    // While a reply is running, its end sets the end of the line.
    const condition = 'id = ? AND active_message_id IS NULL';
    await updateRows(manager, ChatEntity, { lineEndId: id === undefined ? null : Number(id) }, condition, [chatId]);
    return null;
  }
}
