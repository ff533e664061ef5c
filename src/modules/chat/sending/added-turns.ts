import type { DomainEvent } from '../../../common/events/domain-events';
import type { KeptMessage } from '../../usage/usage.api';
import { messageCreatedEvent } from '../conversations/message.events';
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

/** The turns of a conversation that is only to be made shorter: for that nothing needs to be said. */
export function saidTurns(turns: readonly AddedTurn[]): readonly AddedTurn[] {
  return turns.filter(({ content, stored }) => content !== '' || stored?.length);
}

/** Whose conversation the messages are in, and when they came. */
export interface TurnPlace {
  userId: number;
  agentId: number;
  chatId: number;
  at: Date;
}

/** What is told of a message that was stored. */
export function turnEvent(
  { userId, agentId, chatId, at: createdAt }: TurnPlace,
  { messageId: id, role, content, stored: parts }: AddedTurn,
): DomainEvent {
  return messageCreatedEvent({ userId, agentId }, { id, chatId, role, status: 'completed', content, parts, createdAt });
}

/** What they keep. @param countsTexts whether a program sent them */
export function turnsKept(turns: readonly AddedTurn[], countsTexts: boolean): KeptMessage[] {
  return turns.map((turn) => keptBy(turn.messageId, turn, countsTexts));
}
