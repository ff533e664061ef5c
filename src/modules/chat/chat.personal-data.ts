import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { DEFAULT_LANGUAGE } from '../../common/i18n/language';
import { Database } from '../../database/database';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { BlobReferenceEntity } from '../../integrations/blob-store/blob-reference.entity';
import { BlobStore } from '../../integrations/blob-store/blob-store';
import { PersonalDataRegistry } from '../user/user.api';
import { ChatRetention } from './chat.retention';
import { toChatDto } from './chats/chat.dto';
import { ChatEntity } from './conversations/chat.entity';
import { ChatCountEntity } from './conversations/chat-count.entity';
import { ChatCounts } from './conversations/chat-counts';
import { MessageEntity } from './conversations/message.entity';
import { inOrder, MessagePlace, onlyAfter } from './conversations/message-order';
import { isStoredFile, type StoredFile } from './conversations/stored-parts';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { toMessageDto } from './messages/message.dto';
import { countWithin, sizesOf } from './messages/page-bytes';
import { ReplyStopper } from './reply/elsewhere/reply-stopper';
import { SearchEraser } from './search/search-eraser';
import { SearchSegmentEntity } from './search/search-segment.entity';

/** How many messages are read at once, if they are short. Between two batches others have their turn (see `keysetBatches`). */
const BATCH = 200;

/** What this module stores about a user: conversations, also those in the trash, and the keys of repeated requests. */
@Injectable()
export class ChatPersonalData {
  constructor(
    private readonly database: Database,
    private readonly purge: ChatRetention,
    private readonly counts: ChatCounts,
    private readonly search: SearchEraser,
    private readonly blobs: BlobStore,
    private readonly stopper: ReplyStopper,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'chats',
      entities: [ChatEntity, ChatCountEntity, SearchSegmentEntity],
      rows: (userId) => registry.read(ChatEntity, userId, toChatRow),
      settle: (userId) => this.stopReplies(userId),
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
      name: 'files',
      entities: [BlobReferenceEntity],
      rows: (userId) => this.files(userId),
      // Nothing refers to them any more when their messages are erased.
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
        yield { ...toMessageDto(message, DEFAULT_LANGUAGE), api_key_id: message.apiKeyId };
      }
      await nextTurn();
      batch = await this.messageBatch(chatId, batch.at(-1));
    }
  }

  /** Each image or file once, with its bytes: the parts of messages name it by its hash. */
  private async *files(userId: number): AsyncGenerator<object> {
    const known = new Set<string>();
    for await (const chats of this.chatBatches(userId)) {
      for (const { id } of chats) {
        for await (const file of this.filesOf(id)) {
          if (!known.has(file.hash)) {
            known.add(file.hash);
            yield toFileRow(file, await this.blobs.get(file.hash));
          }
        }
      }
    }
  }

  private async *filesOf(chatId: number): AsyncGenerator<StoredFile> {
    for (let batch = await this.messagesWithParts(chatId); batch.length > 0;) {
      yield* batch.flatMap(({ parts }) => parts ?? []).filter(isStoredFile);
      await nextTurn();
      batch = await this.messagesWithParts(chatId, batch.at(-1));
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

  /** Where nothing is kept for days, a reply that ran when the account was closed may still be ending. It is counted first. */
  private async stopReplies(userId: number): Promise<void> {
    const running = await this.database.repository(ChatEntity).find({
      select: { activeMessageId: true },
      where: { userId, activeMessageId: Not(IsNull()) },
      withDeleted: true,
    });
    for (const { activeMessageId } of running) {
      await this.stopper.stop(activeMessageId as number);
    }
  }

  /** The ids of all the user's conversations. */
  private chatBatches(userId: number): AsyncGenerator<ChatEntity[]> {
    const chats = this.database.repository(ChatEntity).createQueryBuilder('chat').select('chat.id');
    return keysetBatches(chats.withDeleted().where({ userId }));
  }

  private async messageBatch(chatId: number, after?: MessagePlace): Promise<MessageEntity[]> {
    const messages = this.following(chatId, after);
    return messages.limit(countWithin(await sizesOf(messages, BATCH))).getMany();
  }

  private async messagesWithParts(chatId: number, after?: MessagePlace): Promise<MessageEntity[]> {
    const messages = this.following(chatId, after).andWhere('message.parts IS NOT NULL');
    const count = countWithin(await sizesOf(messages, BATCH));
    return messages.select(['message.id', 'message.position', 'message.parts']).limit(count).getMany();
  }

  /** By their place, because ids alone do not give the order of messages. */
  private following(chatId: number, after?: MessagePlace): SelectQueryBuilder<MessageEntity> {
    const messages = this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .where('message.chat_id = :chatId', { chatId });
    if (after) {
      onlyAfter(messages, after);
    }
    return inOrder(messages);
  }
}

function toChatRow(chat: ChatEntity): object {
  // The agent is not the user's data; its id is enough.
  const { agent: _agent, ...row } = toChatDto(chat, null);
  return { ...row, deleted_at: chat.deletedAt?.toISOString() ?? null };
}

/** `data` is base64; null when the bytes are lost. */
function toFileRow({ hash, media_type, name, bytes }: StoredFile, data: Buffer | null): object {
  return { hash, media_type, name, bytes, data: data?.toString('base64') ?? null };
}

function toKeyRow({ key, createdAt }: IdempotencyKeyEntity): object {
  return { key, created_at: createdAt.toISOString() };
}
