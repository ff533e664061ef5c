import { Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { BlobReferenceEntity } from '../../../integrations/blob-store/blob-reference.entity';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { ChatEntity } from '../conversations/chat.entity';
import { FileNotFoundError, MessageNotFoundError } from '../conversations/chat.errors';
import type { ReadChat } from '../conversations/chat-queries';
import { MessageEntity } from '../conversations/message.entity';
import { isStoredFile, type StoredFile } from '../conversations/stored-parts';

/** An image or a file of a message, with its bytes. */
export interface MessageFile {
  file: StoredFile;
  data: Buffer;
}

/** A browser shows nothing of it as a page of ours, and runs nothing in it, whatever it contains. */
const HEADERS = {
  'Cache-Control': 'private, max-age=3600',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
};

/** Reads images and files of messages. The caller has checked before that the conversation is the user's. */
@Injectable()
export class MessageFiles {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
  ) {}

  /** Files by their hash, of those that are in messages of a user, without the trash. The newest message says what each is. */
  async ofUser(userId: number, hashes: readonly string[]): Promise<Map<string, StoredFile>> {
    if (hashes.length === 0) {
      return new Map();
    }
    const newest = await this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .innerJoin(BlobReferenceEntity, 'reference', 'reference.message_id = message.id')
      .innerJoin(ChatEntity, 'chat', 'chat.id = message.chat_id')
      .select('MAX(message.id)', 'id')
      .where('reference.hash IN (:...hashes)', { hashes })
      .andWhere('chat.user_id = :userId AND chat.deleted_at IS NULL', { userId })
      .groupBy('reference.hash')
      .getRawMany<{ id: number }>();
    const messages = await this.database
      .repository(MessageEntity)
      .find({ select: { id: true, parts: true }, where: { id: In(newest.map(({ id }) => id)) }, order: { id: 'ASC' } });
    const files = messages.flatMap(({ parts }) => (parts ?? []).filter(isStoredFile));
    return new Map(files.filter(({ hash }) => hashes.includes(hash)).map((file) => [file.hash, file]));
  }

  /** @throws MessageNotFoundError, FileNotFoundError, ServiceUnavailableError while the store is away */
  async find(chat: ReadChat, messageId: number, hash: string): Promise<MessageFile> {
    const message = await this.database
      .repository(MessageEntity)
      .findOne({ select: { id: true, parts: true }, where: { id: messageId, chatId: chat.id } });
    if (message === null) {
      throw new MessageNotFoundError();
    }
    const file = message.parts?.filter(isStoredFile).find((part) => part.hash === hash);
    const data = file && (await this.blobs.get(hash));
    if (!file || !data) {
      throw new FileNotFoundError();
    }
    return { file, data };
  }
}

/** The file as a download. */
export function sendFile(response: Response, { file, data }: MessageFile): StreamableFile {
  const { name, media_type: mediaType } = file;
  response.attachment(name ?? nameOf(file));
  response.setHeader('Content-Type', mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType);
  Object.entries(HEADERS).forEach(([header, value]) => response.setHeader(header, value));
  return new StreamableFile(data);
}

/** For one without a name. */
function nameOf({ type, media_type: mediaType, hash }: StoredFile): string {
  const ending = /^(?:image|application)\/(png|jpeg|gif|webp|pdf|json)$/.exec(mediaType)?.[1] ?? 'txt';
  return `${type}-${hash.slice(0, 8)}.${ending}`;
}
