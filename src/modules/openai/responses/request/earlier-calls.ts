import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import { ConversationTurns } from '../../../chat/chat.api';
import type { Turn } from '../../../generation/generation.api';
import type { ResponsePlace } from '../response-place';
import type { ResponseRequest } from './response-request-schema';

/**
 * The maximum number of messages at the end of a conversation that may have the calls of one round and their results.
 */
const MOST_MESSAGES_OF_A_ROUND = 50;

/** Checks that each function result in a request belongs to a call. */
@Injectable()
export class EarlierCalls {
  constructor(private readonly turns: ConversationTurns) {}

  /**
   * Each function result needs a call, in the request or before it.
   *
   * @throws InvalidParameterError
   */
  async require(
    userId: number,
    { input }: ResponseRequest,
    turns: readonly Turn[],
    place: ResponsePlace | null,
  ): Promise<void> {
    const isComplete = unknownResults(turns).length === 0;
    const known = isComplete || place === null ? [] : await this.readCalls(userId, place);
    const [unknown] = unknownResults(turns, known);
    if (unknown !== undefined) {
      const items = Array.isArray(input) ? input : [];
      const index = items.findIndex((item) => 'call_id' in item && item.call_id === unknown);
      throw new InvalidParameterError([{ field: `input[${index}].call_id`, reason: 'conflicts' }]);
    }
  }

  private readCalls(userId: number, { chatId, after }: ResponsePlace): Promise<string[]> {
    return after === null
      ? this.turns.lastCalls(chatId, MOST_MESSAGES_OF_A_ROUND)
      : this.turns.findCallIds(userId, after);
  }
}

/**
 * IDs of function results without a preceding call.
 *
 * @param known IDs of calls that were stored before these turns
 */
function unknownResults(turns: readonly Turn[], known: Iterable<string> = []): string[] {
  const calls = new Set(known);
  const unknown: string[] = [];
  for (const part of turns.flatMap(({ parts }) => parts ?? [])) {
    if (part.type === 'tool_call') {
      calls.add(part.id);
    } else if (part.type === 'tool_result' && !calls.has(part.id)) {
      unknown.push(part.id);
    }
  }
  return unknown;
}
