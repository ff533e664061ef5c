import { Injectable } from '@nestjs/common';
import { DEFAULT_LANGUAGE } from '../../common/i18n/language';
import { Database } from '../../database/database';
import { keysetBatches } from '../../database/keyset-batches';
import { PersonalDataRegistry } from '../user/user.api';
import { ChatRetention } from './chat.retention';
import { toChatDto } from './chats/chat.dto';
import { ChatEntity } from './conversations/chat.entity';
import { ChatCountEntity } from './conversations/chat-count.entity';
import { ChatCounts } from './conversations/chat-counts';
import { MessageEntity } from './conversations/message.entity';
import { inOrder, MessagePlace, onlyAfter } from './conversations/message-order';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { toMessageDto } from './messages/message.dto';
import { SearchEraser } from './search/search-eraser';
import { SearchSegmentEntity } from './search/search-segment.entity';

/** How many messages are read at once. */
const BATCH = 200;

/** What this module stores about a user: conversations, also those in the trash, and the keys of repeated requests. */
@Injectable()
export class ChatPersonalData {
  constructor(
    private readonly database: Database,
    private readonly purge: ChatRetention,
    private readonly counts: ChatCounts,
    private readonly search: SearchEraser,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'chats',
      entities: [ChatEntity, ChatCountEntity, SearchSegmentEntity],
      rows: (userId) => registry.read(ChatEntity, userId, toChatRow),
      erase: (userId) => this.eraseChats(userId),
    });
    registry.register({
      name: 'messages',
      entities: [MessageEntity],
      rows: (userId) => this.messages(userId),
      // They are erased with their conversations.
      erase: () => Promise.resolve(),
    });
    registry.register({
      name: 'request_keys',
      entities: [IdempotencyKeyEntity],
      rows: (userId) => registry.read(IdempotencyKeyEntity, userId, toKeyRow),
      erase: (userId) => registry.delete(IdempotencyKeyEntity, userId),
    });
  }

  private async *messages(userId: number): AsyncGenerator<object> {
    for await (const chats of this.chatBatches(userId)) {
      for (const { id } of chats) {
        yield* this.messagesOf(id);
      }
    }
  }

  private async *messagesOf(chatId: number): AsyncGenerator<object> {
    for (let batch = await this.messageBatch(chatId); batch.length > 0;) {
      for (const message of batch) {
        yield toMessageDto(message, DEFAULT_LANGUAGE);
      }
      batch = await this.messageBatch(chatId, batch.at(-1));
    }
  }

  private async eraseChats(userId: number): Promise<void> {
    await this.search.eraseUser(userId);
    for await (const chats of this.chatBatches(userId)) {
      await this.purge.erase(chats.map(({ id }) => id));
    }
    await this.search.eraseUser(userId);
    await this.counts.erase(userId);
  }

  /** The ids of all the user's conversations. */
  private chatBatches(userId: number): AsyncGenerator<ChatEntity[]> {
    const chats = this.database.repository(ChatEntity).createQueryBuilder('chat').select('chat.id');
    return keysetBatches(chats.withDeleted().where({ userId }));
  }

  /** By their place, because ids alone do not give the order of messages. */
  private messageBatch(chatId: number, after?: MessagePlace): Promise<MessageEntity[]> {
    const messages = this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .where('message.chat_id = :chatId', { chatId });
    if (after) {
      onlyAfter(messages, after);
    }
    return inOrder(messages).limit(BATCH).getMany();
  }
}

function toChatRow(chat: ChatEntity): object {
  // The agent is not the user's data; its id is enough.
  const { agent: _agent, ...row } = toChatDto(chat, null);
  return { ...row, deleted_at: chat.deletedAt?.toISOString() ?? null };
}

function toKeyRow({ key, createdAt }: IdempotencyKeyEntity): object {
  return { key, created_at: createdAt.toISOString() };
}
