import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { idList } from '../../../database/statements/rows-by-id';
import { textsAround } from '../../../database/statements/text-search';
import type { ChatMatchDto } from './chat-match.dto';
import { excerptOf } from './excerpt';
import { SEARCHED_TEXT } from './message-index';

/** Messages, each with its number among its versions: those of one role with the same parent. */
const VERSIONS = `
  SELECT message.id, message.chat_id, message.is_current, COUNT(*)
  FROM chat_messages message
  JOIN chat_messages version
    ON version.chat_id = message.chat_id AND version.position = message.position AND version.role = message.role
    AND version.id <= message.id AND COALESCE(version.parent_id, 0) = COALESCE(message.parent_id, 0)`;

/** Reads what a search shows of the messages that it found. */
@Injectable()
export class MatchQuery {
  constructor(private readonly database: Database) {}

  /**
   * Runs two statements, however many messages there are.
   *
   * @param messageIds at most one for each conversation
   * @returns by conversation, without messages that no longer contain the text
   */
  async of(messageIds: readonly number[], text: string): Promise<Map<number, ChatMatchDto>> {
    if (messageIds.length === 0) {
      return new Map();
    }
    const ids = idList(messageIds);
    const rows = `chat_messages WHERE id IN ${ids}`;
    const [texts, versions] = await Promise.all([
      textsAround(this.database, { key: 'id', column: SEARCHED_TEXT, rows, parameters: [] }, text),
      readRows(
        this.database,
        `${VERSIONS} WHERE message.id IN ${ids} GROUP BY message.id, message.chat_id, message.is_current`,
      ),
    ]);
    return new Map(
      versions.flatMap(([id, chatId, isCurrent, version]) => {
        const around = texts.get(Number(id));
        const match = {
          message_id: Number(id),
          excerpt: excerptOf(around ?? '', text),
          version: Number(isCurrent) === 1 ? null : Number(version),
        };
        return around === undefined ? [] : [[Number(chatId), match] as const];
      }),
    );
  }
}
