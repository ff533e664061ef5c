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
import { ChatReadService } from './chat-read.service';

const SEARCH = object({
  text: pipe(string(), trim(), minLength(1), maxLength(200), description('A word or phrase, exactly as written.')),
  limit: optional(
    pipe(number(), integer(), minValue(1), maxValue(20), description('Maximum number of conversations.')),
    10,
  ),
});

/** Tools that let an agent search the conversations of its user. */
@Injectable()
export class ChatTools {
  constructor(private readonly chats: ChatReadService) {}

  @AgentTool({
    name: 'search_conversations',
    description:
      'Finds earlier conversations of the user by a text in their titles or messages, newest first. Returns ' +
      'their ids, titles and times.',
    input: SEARCH,
    readOnly: true,
    idempotent: true,
  })
  async find({ text, limit }: { text: string; limit: number }, { userId }: ToolContext): Promise<object> {
    const query = { q: text, limit, offset: 0, include_messages: false };
    const { items, total } = await this.chats.list(userId, query);
    return {
      total,
      conversations: items.map(({ chat: { id, title, updated_at } }) => ({ id, title, updated_at })),
    };
  }
}
