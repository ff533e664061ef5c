import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DEFAULT_LANGUAGE } from '../../common/i18n/language';
import { Database } from '../../database/database';
import { findRows } from '../../database/statements/find';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { allOf, type RowCondition, type Rows } from '../../database/statements/row-condition';
import { BlobReferenceEntity } from '../../integrations/blob-store/blob-reference.entity';
import { BlobStore } from '../../integrations/blob-store/blob-store';
import { ActionLists, isStoredFile, ReplyKnowledge, ReplyPieces, type StoredFile } from '../generation/generation.api';
import { type Expiry, RetentionDirectory } from '../retention/retention.api';
import { PersonalDataRegistry } from '../user/user.api';
import { ChatRetention } from './chat.retention';
import { toChatDto } from './chats/chat.dto';
import { ChatReadService } from './chats/chat-read.service';
import { ChatEntity } from './conversations/chat.entity';
import { ChatCountEntity } from './conversations/chat-count.entity';
import { ChatCounts } from './conversations/chat-counts';
import { MessageEntity, SEARCH_TABLES } from './conversations/message.entity';
import { FORWARDS, isAfter, MessagePlace } from './conversations/message-order';
import { repliesThatWait, toMessageDto } from './messages/message.dto';
import { countWithin, sizesOf } from './messages/page-bytes';
import { MessageIndex } from './search/message-index';

/** Messages in one batch, if they are short. Other requests run between two batches (see `keysetBatches`). */
const BATCH = 200;

/** Exports and erases a user's conversations, including those in the trash. */
@Injectable()
export class ChatPersonalData {
  constructor(
    private readonly database: Database,
    private readonly purge: ChatRetention,
    private readonly reading: ChatReadService,
    private readonly counts: ChatCounts,
    private readonly index: MessageIndex,
    private readonly blobs: BlobStore,
    private readonly pieces: ReplyPieces,
    private readonly actions: ActionLists,
    private readonly knowledge: ReplyKnowledge,
    private readonly retention: RetentionDirectory,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'chats',
      entities: [ChatEntity, ChatCountEntity, SEARCH_TABLES.segments],
      rows: (userId) => this.chats(userId, this.seenBy(userId)),
      heldRows: (userId) => this.chats(userId, { userId }),
      erase: (userId) => this.eraseChats(userId),
    });
    registry.register({
      name: 'messages',
      entities: [MessageEntity],
      rows: (userId) => this.messages(userId, this.seenBy(userId)),
      heldRows: (userId) => this.messages(userId, { userId }),
      // Erased together with the conversations.
      erase: () => Promise.resolve(),
    });
    registry.register({
      name: 'files',
      entities: [BlobReferenceEntity],
      rows: (userId) => this.files(userId),
      // Erasing the messages removes the last references to the files.
      erase: () => Promise.resolve(),
    });
  }

  /** The conversations that a user sees, in lists or in the trash. A legal hold may keep others. */
  private seenBy(userId: number): RowCondition {
    const parameters = [userId, this.reading.purgeLimit()];
    return { condition: 'user_id = ? AND (deleted_at IS NULL OR deleted_at > ?)', parameters };
  }

  private async *chats(userId: number, where: Rows<ChatEntity>): AsyncGenerator<object> {
    const expiry = await this.retention.expiry('chats', userId);
    for await (const chats of keysetBatches(this.database.manager, ChatEntity, where, { withDeleted: true })) {
      yield* chats.map((chat) => toChatRow(chat, expiry));
    }
  }

  private async *messages(userId: number, where: Rows<ChatEntity>): AsyncGenerator<object> {
    for await (const chats of this.chatBatches(where)) {
      for (const { id } of chats) {
        yield* this.messagesOf(userId, id);
      }
    }
  }

  private async *messagesOf(userId: number, chatId: number): AsyncGenerator<object> {
    for (let batch = await this.messageBatch(chatId); batch.length > 0;) {
      await this.knowledge.fillRows(userId, batch);
      const actions = await this.actions.ofMessages(repliesThatWait(batch));
      for (const message of batch) {
        yield { ...toMessageDto(message, DEFAULT_LANGUAGE, actions), api_key_id: message.apiKeyId };
      }
      await nextTurn();
      batch = await this.messageBatch(chatId, batch.at(-1));
    }
  }

  /** Each image or file once, with its bytes. Message parts refer to it by hash. */
  private async *files(userId: number): AsyncGenerator<object> {
    const known = new Set<string>();
    for await (const chats of this.chatBatches(this.seenBy(userId))) {
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
    await this.index.removeOwner(userId);
    for await (const chats of this.chatBatches({ userId })) {
      await this.purge.erase(chats.map(({ id }) => id));
    }
    await this.purge.hideRest(userId);
    await this.index.removeOwner(userId);
    await this.counts.erase(userId);
  }

  /** IDs of conversations, including those in the trash. */
  private chatBatches(where: Rows<ChatEntity>): AsyncGenerator<Pick<ChatEntity, 'id'>[]> {
    const options = { members: ['id'], withDeleted: true } as const;
    return keysetBatches(this.database.manager, ChatEntity, where, options);
  }

  private async messageBatch(chatId: number, after?: MessagePlace): Promise<MessageEntity[]> {
    return this.pieces.complete(MessageEntity, await this.following(placesOf(chatId, after)));
  }

  private messagesWithParts(
    chatId: number,
    after?: MessagePlace,
  ): Promise<Pick<MessageEntity, 'id' | 'position' | 'parts'>[]> {
    const withParts = allOf(placesOf(chatId, after), { condition: 'parts IS NOT NULL', parameters: [] });
    return this.following(withParts, ['id', 'position', 'parts']);
  }

  private async following<Member extends keyof MessageEntity>(
    where: RowCondition,
    members?: Member[],
  ): Promise<Pick<MessageEntity, Member>[]> {
    const { manager } = this.database;
    const limit = countWithin(await sizesOf(manager, where, FORWARDS, BATCH));
    return findRows(manager, MessageEntity, where, { members, order: FORWARDS, limit });
  }
}

/** Selects messages by place, because IDs alone do not give the order of messages. */
function placesOf(chatId: number, after?: MessagePlace): RowCondition {
  const ofChat = { condition: 'chat_id = ?', parameters: [chatId] };
  return allOf(ofChat, ...(after ? [isAfter(after)] : []));
}

function toChatRow(chat: ChatEntity, expiry: Expiry): object {
  // The agent is not the user's data; its ID is enough.
  const { agent: _agent, ...row } = toChatDto(chat, { agent: null, knowledge: chat.knowledge ?? [], expiry });
  return { ...row, deleted_at: chat.deletedAt?.toISOString() ?? null };
}

/** `data` is base64; null if the bytes are lost. */
function toFileRow({ hash, media_type, name, bytes }: StoredFile, data: Buffer | null): object {
  return { hash, media_type, name, bytes, data: data?.toString('base64') ?? null };
}
