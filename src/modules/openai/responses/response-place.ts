import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { ChatNotFoundError, ChatReadService, ReplyOrigins } from '../../chat/chat.api';
import { ConversationNotFoundError } from '../conversations/conversation.errors';
import type { ResponseRequest } from './request/response-request-schema';
import { ConflictingParametersError, PreviousResponseNotFoundError } from './response.errors';
import { ResponseStore } from './response.store';
import { readConversationId } from './wire/wire-ids';

/** The place of a response in an existing conversation. */
export interface ResponsePlace {
  chatId: number;
  agentId: number;
  /** The answerer of the reply to continue, see `MessageEntity.answerer`; null: the agent. */
  answerer: string | null;
  /** The reply to continue; null: the end of the conversation. */
  after: number | null;
  /** Whether the client named the conversation, in this request or for the response that it continues. */
  isInConversation: boolean;
}

/** Finds the conversation or response that a request continues. */
@Injectable()
export class ResponsePlaces {
  constructor(
    private readonly store: ResponseStore,
    private readonly reading: ChatReadService,
    private readonly origins: ReplyOrigins,
    private readonly database: Database,
  ) {}

  /**
   * @returns null if the request continues nothing
   * @throws ConflictingParametersError, ConversationNotFoundError, PreviousResponseNotFoundError
   */
  async find(
    userId: number,
    { conversation, previous_response_id: previous }: ResponseRequest,
  ): Promise<ResponsePlace | null> {
    if (conversation !== null && previous !== null) {
      throw new ConflictingParametersError('conversation', 'previous_response_id');
    }
    if (conversation !== null) {
      return this.inConversation(userId, typeof conversation === 'string' ? conversation : conversation.id);
    }
    return previous === null ? null : this.after(userId, previous);
  }

  private async inConversation(userId: number, id: string): Promise<ResponsePlace> {
    const chatId = readConversationId(id);
    try {
      const { agentId, lineEndId } = await this.reading.get(userId, chatId ?? 0);
      const answerer = await this.origins.findAnswerer(this.database.manager, lineEndId);
      return { chatId: chatId ?? 0, agentId, answerer, after: null, isInConversation: true };
    } catch (error) {
      throw error instanceof ChatNotFoundError ? new ConversationNotFoundError(id, 'conversation') : error;
    }
  }

  private async after(userId: number, id: string): Promise<ResponsePlace> {
    const found = await this.store.find(userId, id);
    if (found === null) {
      throw new PreviousResponseNotFoundError(id);
    }
    const { id: after, chatId, isInConversation } = found.row;
    const { agentId } = await this.reading.get(userId, chatId);
    return { chatId, agentId, answerer: found.message.answerer, after, isInConversation };
  }
}
