import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { ConversationEntity } from './conversations/conversation.entity';
import { KeptEmbeddings } from './embeddings/kept-embeddings';
import { KeptEmbeddingsEntity } from './embeddings/kept-embeddings.entity';
import { ContinuationEntity } from './responses/approval/continuation.entity';
import { ResponseEntity } from './responses/response.entity';
import { conversationId, responseId } from './responses/wire/wire-ids';

/** Responses in one batch. One response may have settings of three megabytes. */
const RESPONSES_AT_ONCE = 10;

/**
 * Exports and erases a user's data in this module: the settings of responses, the metadata of conversations, and
 * embeddings that are kept for a day. Vectors are not exported.
 */
@Injectable()
export class OpenAiPersonalData {
  constructor(registry: PersonalDataRegistry, kept: KeptEmbeddings) {
    registry.register({
      name: 'openai_responses',
      entities: [ResponseEntity],
      rows: (userId) => registry.read(ResponseEntity, userId, toResponseRow, RESPONSES_AT_ONCE),
      erase: (userId) => registry.delete(ResponseEntity, userId),
    });
    registry.register({
      name: 'openai_continuations',
      entities: [ContinuationEntity],
      rows: (userId) => registry.read(ContinuationEntity, userId, toContinuationRow, RESPONSES_AT_ONCE),
      erase: (userId) => registry.delete(ContinuationEntity, userId),
    });
    registry.register({
      name: 'openai_conversations',
      entities: [ConversationEntity],
      rows: (userId) => registry.read(ConversationEntity, userId, toConversationRow),
      erase: (userId) => registry.delete(ConversationEntity, userId),
    });
    registry.register({
      name: 'openai_embeddings',
      entities: [KeptEmbeddingsEntity],
      rows: (userId) => registry.read(KeptEmbeddingsEntity, userId, toEmbeddingsRow),
      erase: (userId) => kept.erase(userId),
    });
  }
}

function toResponseRow({ id, chatId, settings, listed, createdAt }: ResponseEntity): object {
  return {
    id: responseId(id),
    message_id: id,
    conversation: conversationId(chatId),
    ...settings,
    ...(listed !== null && { listed_tools: listed }),
    created_at: createdAt.toISOString(),
  };
}

function toContinuationRow({ messageId, number, chatId, settings, input, createdAt }: ContinuationEntity): object {
  return {
    id: responseId(messageId, number),
    message_id: messageId,
    conversation: conversationId(chatId),
    input,
    ...settings,
    created_at: createdAt.toISOString(),
  };
}

function toEmbeddingsRow({ tokens, createdAt }: KeptEmbeddingsEntity): object {
  return { tokens, created_at: createdAt.toISOString() };
}

function toConversationRow({ id, metadata }: ConversationEntity): object {
  return { id: conversationId(id), chat_id: id, metadata };
}
