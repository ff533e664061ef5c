import { fact, integer } from '../../../common/events/event-fields';
import type { ChatEntity } from './chat.entity';

/** Fields of all these events. Who receives the events of all users sees by them whose they are. */
export const chatFields = {
  chat_id: fact(integer('The conversation.')),
  user_id: fact(integer('The user whose conversation it is.')),
  agent_id: fact(integer('The agent it is bound to.')),
};

export const messageFields = { ...chatFields, message_id: fact(integer('The message.')) };

export const exampleIds = { chat_id: 12, user_id: 7, agent_id: 1 };

/** The owner and the agent of a message's conversation. */
export type Owner = Pick<ChatEntity, 'userId' | 'agentId'>;

export function idsOf(
  chatId: number,
  { userId, agentId }: Owner,
): { chat_id: number; user_id: number; agent_id: number } {
  return { chat_id: chatId, user_id: userId, agent_id: agentId };
}
