import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { ConversationQuery, ConversationTurns } from '../../chat/chat.api';
import type { OwnTool } from '../tools/acting-tools';
import { isServerCall } from './request/input-item-schema';
import type { ResponseRequest } from './request/response-request-schema';
import { ResponseEntity } from './response.entity';
import type { ResponsePlace } from './response-place';
import type { ToolListing } from './wire/listed-tools';

/**
 * Lists the tools of modules and MCP servers that requests name. Like OpenAI's API, it lists them once per
 * conversation.
 */
@Injectable()
export class ListedTools {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationQuery,
    private readonly turns: ConversationTurns,
  ) {}

  /**
   * The tools that a response has to list; null: none.
   *
   * @param labels the labels in the request
   * @param place the place that it continues
   */
  async due(
    labels: readonly string[],
    tools: readonly OwnTool[],
    { input }: Pick<ResponseRequest, 'input'>,
    place: ResponsePlace | null,
  ): Promise<ToolListing[] | null> {
    if (labels.length === 0) {
      return null;
    }
    const sent = Array.isArray(input)
      ? input.flatMap((item) => ('server_label' in item && !isServerCall(item) ? [item.server_label] : []))
      : [];
    const known = new Set([...sent, ...(place === null ? [] : await this.findListedLabels(place))]);
    const due = [...new Set(labels)].filter((label) => !known.has(label));
    return due.length === 0 ? null : due.map((label) => listingOf(label, tools));
  }

  /** The tools listed by the responses with these messages, by message. */
  async of(messageIds: readonly number[]): Promise<ReadonlyMap<number, readonly ToolListing[]>> {
    const where = { id: In([...messageIds]) };
    const rows =
      messageIds.length === 0
        ? []
        : await findRows(this.database.manager, ResponseEntity, where, { members: ['id', 'listed'] });
    return new Map(rows.flatMap(({ id, listed }) => (listed === null ? [] : [[id, listed] as const])));
  }

  private async findListedLabels({ chatId, after }: ResponsePlace): Promise<string[]> {
    const [last] =
      after === null ? await this.conversations.line(chatId, { from: null, isBackwards: true, limit: 1 }) : [];
    const end = after ?? last?.id;
    const path = end === undefined ? [] : await this.turns.findPath(chatId, end);
    return [...(await this.of(path)).values()].flat().map(({ server_label }) => server_label);
  }
}

function listingOf(label: string, tools: readonly OwnTool[]): ToolListing {
  return {
    server_label: label,
    tools: tools
      .filter((tool) => tool.label === label)
      .map(({ ownName: name, description, inputSchema: input_schema, readOnly: read_only }) => ({
        name,
        description,
        input_schema,
        annotations: { read_only },
      })),
  };
}
