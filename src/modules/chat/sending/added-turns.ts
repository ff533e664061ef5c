import type { DomainEvent } from '../../../common/events/domain-events';
import type { KeptMessage } from '../../usage/usage.api';
import { messageCreatedEvent } from '../conversations/chat.events';
import type { StoredTurn } from './exchange-plan';
import { keptBy } from './turn-files';

/** A turn that became a message. */
export interface AddedTurn extends Pick<StoredTurn, 'role' | 'content' | 'parts' | 'stored'> {
  messageId: number;
}

/** The turns with the ids of their messages. */
export function addedTurns(turns: readonly StoredTurn[], ids: readonly number[]): AddedTurn[] {
  return turns.map(({ role, content, parts, stored }, index) => ({
    messageId: ids[index] as number,
    role,
    content,
    parts,
    stored,
  }));
}

/** What is told of messages that were stored. */
export function turnEvents(
  { userId, agentId, chatId, at }: { userId: number; agentId: number; chatId: number; at: Date },
  turns: readonly AddedTurn[],
): DomainEvent[] {
  return turns.map(({ messageId: id, role, content, stored: parts }) =>
    messageCreatedEvent({ userId, agentId }, { id, chatId, role, status: 'completed', content, parts, createdAt: at }),
  );
}

/** What they keep. @param countsTexts whether a program sent them */
export function turnsKept(turns: readonly AddedTurn[], countsTexts: boolean): KeptMessage[] {
  return turns.map((turn) => keptBy(turn.messageId, turn, countsTexts));
}
