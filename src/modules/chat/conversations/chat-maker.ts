import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { insertRow } from '../../../database/statements/insert';
import { UsageService } from '../../usage/usage.api';
import { ChatEntity } from './chat.entity';
import { chatEvent } from './chat.events';
import { ChatCounts } from './chat-counts';
import type { ReadChat } from './chat-queries';

/** The properties of a new conversation. */
export interface ChatBeginning {
  userId: number;
  apiKeyId: number | null;
  agentId: number;
  title: string;
  hasPlaceholderTitle: boolean;
  language: string | null;
  /** Whether it copies content of other users; absent: no. */
  isCopy?: boolean | undefined;
  /** The collections that its replies search; absent: none. */
  knowledge?: number[] | null | undefined;
  at: Date;
}

/** Creates conversations. Call all methods within `Database.write`. */
@Injectable()
export class ChatMaker {
  constructor(
    private readonly events: DomainEvents,
    private readonly usage: UsageService,
    private readonly counts: ChatCounts,
  ) {}

  /** Creates a conversation, updates the counts and publishes `chat.created`. */
  async make(manager: EntityManager, beginning: ChatBeginning): Promise<ReadChat> {
    const { userId, apiKeyId, agentId, at } = beginning;
    const row = rowOf(beginning);
    const chat: ReadChat = { id: await insertRow(manager, ChatEntity, row), ...row };
    await this.counts.added(manager, chat);
    await this.usage.recordChat(manager, { userId, apiKeyId, agentId, at });
    await this.events.publish(manager, chatEvent('chat.created', chat));
    return chat;
  }
}

function rowOf(beginning: ChatBeginning): Omit<ChatEntity, 'id' | 'hasFiles'> {
  const { userId, agentId, title, hasPlaceholderTitle, language, isCopy, knowledge, at } = beginning;
  return {
    userId,
    agentId,
    title,
    hasPlaceholderTitle,
    language,
    isPinned: false,
    isArchived: false,
    tags: [],
    knowledge: knowledge?.length ? knowledge : null,
    messageCount: 0,
    lastMessageAt: null,
    activeMessageId: null,
    lineEndId: null,
    formerLineEndId: null,
    lastReplyId: null,
    titleReplyId: null,
    readMessageId: null,
    copiedAt: isCopy ? at : null,
    taintedAt: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
}
