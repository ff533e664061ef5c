import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { idIn } from '../../../database/statements/row-condition';
import { idBatches } from '../../../database/statements/rows-by-id';
import { runForRow, runStatement } from '../../../database/statements/run-statement';
import { GroupMemberships, MEMBERS_OF_GROUP } from '../../group/group.api';
import type { HoldCounts, LegalHold } from '../../hold/hold.api';

/** An account that is open, or closed and not erased. */
const LIVING_USER = 'SELECT id FROM users WHERE id = ? AND (deleted_at IS NULL OR erase_at IS NOT NULL)';

const OWNER = 'SELECT user_id FROM chats WHERE id = ?';

const CHATS = 'SELECT COUNT(*) FROM chats WHERE ';
const MESSAGES = 'SELECT COUNT(*) FROM chat_messages message JOIN chats chat ON chat.id = message.chat_id WHERE ';
const UPLOADS = 'SELECT COUNT(*) FROM knowledge_files file WHERE ';
const ATTACHED = 'SELECT COUNT(DISTINCT reference.hash) FROM blob_references reference ';

/** Which users and how much data a hold covers. */
@Injectable()
export class HoldSubjects {
  constructor(
    private readonly database: Database,
    private readonly groups: GroupMemberships,
  ) {}

  /**
   * Within `Database.write`: the users whom a new hold covers; of a group, which it locks, the present members. Null if
   * the user, conversation or group does not exist.
   */
  async usersOf(
    manager: EntityManager,
    { scope, scopeId }: Pick<LegalHold, 'scope' | 'scopeId'>,
  ): Promise<number[] | null> {
    switch (scope) {
      case 'user':
        return (await runForRow(manager, LIVING_USER, [scopeId])) ? [scopeId] : null;
      case 'chat':
        return (await runForRow(manager, OWNER, [scopeId])) ? [] : null;
      case 'group': {
        if ((await this.groups.lock(manager, [scopeId])).length === 0) {
          return null;
        }
        const { rows } = await runStatement(manager, MEMBERS_OF_GROUP, [scopeId]);
        return [...new Set(rows.map(([id]) => Number(id)))];
      }
    }
  }

  /** The owner of a conversation; null if it is erased. */
  async ownerOf(chatId: number): Promise<number | null> {
    const row = await runForRow(this.database.manager, OWNER, [chatId]);
    return row ? Number(row[0]) : null;
  }

  /** How much data a hold covers, including what its owners have deleted. */
  async count({ scope, scopeId }: LegalHold, userIds: readonly number[]): Promise<HoldCounts> {
    if (scope === 'chat') {
      return {
        users: (await this.ownerOf(scopeId)) === null ? 0 : 1,
        chats: await this.number(`${CHATS}id = ?`, [scopeId]),
        messages: await this.number(`${MESSAGES}chat.id = ?`, [scopeId]),
        files: await this.number(
          `${ATTACHED}JOIN chat_messages message ON message.id = reference.message_id WHERE message.chat_id = ?`,
          [scopeId],
        ),
      };
    }
    const counts = { users: userIds.length, chats: 0, messages: 0, files: 0 };
    for (const ids of idBatches(userIds)) {
      const own = idIn(ids, 'user_id');
      const files = [idIn(ids, 'file.owner_id'), idIn(ids, 'file.held_owner_id')] as const;
      const fileValues = [...files[0].parameters, ...files[1].parameters];
      counts.chats += await this.number(CHATS + own.condition, own.parameters);
      counts.messages += await this.number(MESSAGES + idIn(ids, 'chat.user_id').condition, own.parameters);
      counts.files += await this.number(`${UPLOADS}${files[0].condition} OR ${files[1].condition}`, fileValues);
      counts.files += await this.number(`${ATTACHED}WHERE ${own.condition}`, own.parameters);
    }
    return counts;
  }

  private async number(sql: string, parameters: Parameters<typeof runForRow>[2]): Promise<number> {
    return Number((await runForRow(this.database.manager, sql, parameters))?.[0]);
  }
}
