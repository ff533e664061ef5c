import { createHash, randomUUID } from 'node:crypto';
import { type BinaryPart, contentOf, type MessagePart } from '../../src/integrations/llm/port/message-parts';
import { ExchangeService } from '../../src/modules/chat/sending/exchange.service';
import type { Turn } from '../../src/modules/generation/reply/stored-parts';
import type { TestApp } from './test-app';

/** The name of a blob. */
export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export function image(data: Uint8Array, name: string | null = 'lisbon.png'): BinaryPart {
  return { type: 'image', media_type: 'image/png', name, data, detail: 'low' };
}

export function page(text: string, name: string | null = 'notes.html'): BinaryPart {
  return { type: 'file', media_type: 'text/html', name, data: Buffer.from(text), detail: null };
}

/** A turn with these parts. */
export function turn(role: Turn['role'], ...parts: MessagePart[]): Turn {
  return { role, content: contentOf(parts), parts };
}

/**
 * Stores turns in a conversation and requests a reply to the last one, as a client does. @returns the id of the reply
 */
export async function sendTurns(
  { app }: Pick<TestApp, 'app'>,
  userId: number,
  chatId: number,
  ...turns: Turn[]
): Promise<number> {
  const { reply } = await app.get(ExchangeService).start({
    sender: { userId, tier: 'normal', groupIds: [], apiKeyId: null, tokensPerDay: null, requestId: randomUUID() },
    chatId,
    subject: { kind: 'turns', turns, after: null },
    language: null,
    endsWithReaders: false,
    endsUnread: false,
    repeatable: { userId, key: null, route: 'test', body: turns.length },
  });
  await reply.whenEnded();
  return reply.messageId;
}
