import { Injectable } from '@nestjs/common';
import {
  description,
  integer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  number,
  object,
  optional,
  pipe,
  string,
  trim,
} from 'valibot';
import { AgentTool, type ToolContext } from '../../../common/tools/agent-tool.decorator';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { idIn } from '../../../database/statements/row-condition';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatSearch } from './chat-search.service';

const SEARCH = object({
  text: pipe(string(), trim(), minLength(1), maxLength(200), description('A word or phrase, as it was written.')),
  limit: optional(pipe(number(), integer(), minValue(1), maxValue(20), description('Conversations at most.')), 10),
});

/** What agents can look up in the conversations of who asks them. */
@Injectable()
export class ChatTools {
  constructor(
    private readonly database: Database,
    private readonly search: ChatSearch,
  ) {}

  @AgentTool({
    name: 'search_conversations',
    description:
      'Finds earlier conversations of the user that have a text in their title or messages, the newest first. It answers ' +
      'their ids, titles and times.',
    input: SEARCH,
    readOnly: true,
    idempotent: true,
  })
  async find({ text, limit }: { text: string; limit: number }, { userId }: ToolContext): Promise<object> {
    const ids = await this.search.find(userId, text, {});
    const shown = ids.slice(0, limit);
    const { condition, parameters } = idIn(shown);
    const rows = await findRows(
      this.database.manager,
      ChatEntity,
      { condition: `user_id = ? AND ${condition}`, parameters: [userId, ...parameters] },
      { members: ['id', 'title', 'updatedAt'] },
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const conversations = shown.flatMap((id) => byId.get(id) ?? []);
    return {
      total: ids.length,
      conversations: conversations.map(({ id, title, updatedAt }) => ({
        id,
        title,
        updated_at: updatedAt.toISOString(),
      })),
    };
  }
}
