import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Database } from '../../../database/database';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { MessageEntity } from '../conversations/message.entity';
import { loadAll, loadParts } from '../conversations/stored-parts';
import type { Turn } from '../reply/running-reply';
import { ConversationQuery, type StoredMessage } from './conversation.query';
import { PAGE_BYTES } from './page-bytes';

/** The most that is told of a conversation: more fits into no model. */
const MOST_TURNS = 2_000;
const MOST_BYTES = 2 * PAGE_BYTES;

/** Reads conversations for other modules as turns, which models are told. */
@Injectable()
export class ConversationTurns {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationQuery,
    private readonly blobs: BlobStore,
  ) {}

  /** The newest turns of a conversation up to a message, whatever line they are on, as far as a model could take them. */
  async to(chatId: number, id: number): Promise<Turn[]> {
    const path = await this.pathTo(chatId, id);
    const messages = await this.conversations.newestOf(path.slice(-MOST_TURNS), MOST_BYTES);
    const parts = await loadAll(
      this.blobs,
      messages.map((message) => message.parts),
    );
    return messages.map(({ role, content }, index) => ({ role, content, parts: parts[index] ?? null }));
  }

  /** A message as a model is told it, with the bytes of its files. */
  async of({ role, content, parts }: Pick<StoredMessage, 'role' | 'content' | 'parts'>): Promise<Turn> {
    return { role, content, parts: parts && (await loadParts(this.blobs, parts)) };
  }

  /** Ids of the calls of functions in the last messages of the current line. @param count of the messages */
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

  private async pathTo(chatId: number, id: number): Promise<number[]> {
    const rows = await this.database
      .repository(MessageEntity)
      .find({ select: { id: true, parentId: true }, where: { chatId, id: LessThanOrEqual(id) } });
    const parents = new Map(rows.map((row) => [row.id, row.parentId]));
    const path: number[] = [];
    for (let next: number | null = id; next !== null && parents.has(next); next = parents.get(next) ?? null) {
      path.push(next);
    }
    return path.reverse();
  }
}

/** Ids of the calls of functions that a message asks for. */
export function callsOf({ parts }: Pick<StoredMessage, 'parts'>): string[] {
  return (parts ?? []).flatMap((part) => (part.type === 'tool_call' ? part.id : []));
}
