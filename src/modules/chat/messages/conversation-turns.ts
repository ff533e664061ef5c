import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { runStatement } from '../../../database/statements/run-statement';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { ModelsOfAgent } from '../../../integrations/llm/port/model-reference';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import { loadTurn, loadTurns, type Turn } from '../../generation/generation.api';
import { ConversationQuery, type StoredMessage } from './conversation.query';
import { PAGE_BYTES } from './page-bytes';

/** The most turns of a conversation; no model accepts more. */
const MOST_TURNS = 2_000;
const MOST_BYTES = 2 * PAGE_BYTES;

/**
 * Conversation, message. Selects the message and its ancestors, newest first, in batches because MySQL stops at a
 * thousand recursion steps. Reading all messages would block other requests in a conversation of a hundred thousand
 * messages.
 */
const PATH = `
  WITH RECURSIVE path (id, parent_id, steps) AS (
    SELECT id, parent_id, 1 FROM chat_messages WHERE chat_id = ? AND id = ?
    UNION ALL
    SELECT message.id, message.parent_id, path.steps + 1
    FROM path INNER JOIN chat_messages message ON message.id = path.parent_id
    WHERE path.steps < 500
  )
  SELECT id, parent_id FROM path ORDER BY steps`;

/** Reads conversations as model turns, for other modules. */
@Injectable()
export class ConversationTurns {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationQuery,
    private readonly blobs: BlobStore,
    private readonly inputs: ModelInputs,
  ) {}

  /**
   * The newest turns up to a message on any line, limited to what a model could accept.
   *
   * @param models the models of the prompt: text replaces content that none of them accepts
   */
  async to(chatId: number, id: number, models: ModelsOfAgent): Promise<Turn[]> {
    const missing = this.inputs.missing(models);
    const path = await this.findPath(chatId, id);
    const messages = await this.conversations.newestOf(path, MOST_BYTES);
    return loadTurns(this.blobs, messages, missing);
  }

  /** A message as a turn, with the bytes of its files. */
  of(message: Pick<StoredMessage, 'role' | 'content' | 'parts'>): Promise<Turn> {
    return loadTurn(this.blobs, message);
  }

  /** IDs of the function calls that a message in the user's conversations requests. */
  async findCallIds(userId: number, messageId: number): Promise<string[]> {
    return (await this.conversations.find(userId, [messageId])).flatMap(callsOf);
  }

  /**
   * IDs of the function calls in the last messages of the current line.
   *
   * @param count the number of messages
   */
  async lastCalls(chatId: number, count: number): Promise<string[]> {
    const calls: string[] = [];
    let from: number | null = null;
    for (let left = count; left > 0;) {
      const part = { from, isBackwards: true, limit: from === null ? left : left + 1 };
      const { messages, isCut } = await this.conversations.cutLine(chatId, part, PAGE_BYTES);
      calls.push(...messages.flatMap(callsOf));
      if (!isCut) {
        break;
      }
      left -= messages.length - (from === null ? 0 : 1);
      from = messages.at(-1)?.id ?? null;
    }
    return calls;
  }

  /** IDs of the last messages on the path to this message, newest first. */
  async findPath(chatId: number, id: number): Promise<number[]> {
    const path: number[] = [];
    for (let next: number | null = id; next !== null && path.length < MOST_TURNS;) {
      const { rows } = await runStatement(this.database.manager, PATH, [chatId, next]);
      path.push(...rows.map(([step]) => Number(step)));
      next = (rows.at(-1)?.[1] ?? null) as number | null;
    }
    return path.slice(0, MOST_TURNS).reverse();
  }
}

/** IDs of the function calls that a message requests. */
function callsOf({ parts }: Pick<StoredMessage, 'parts'>): string[] {
  return (parts ?? []).flatMap((part) => (part.type === 'tool_call' ? part.id : []));
}
