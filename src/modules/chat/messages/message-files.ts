import { Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { idIn } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { SearchedFile } from '../../../integrations/llm/port/message-parts';
import { isStoredFile, type StoredFile } from '../../generation/generation.api';
import { FilesService, UploadedFileNotFoundError } from '../../knowledge/knowledge.api';
import { FileNotFoundError, MessageNotFoundError } from '../conversations/chat.errors';
import type { ReadChat } from '../conversations/chat-queries';
import { MessageEntity } from '../conversations/message.entity';

/** An image or a file of a message, with its bytes. */
export interface MessageFile {
  file: Pick<StoredFile, 'type' | 'media_type' | 'name' | 'hash'>;
  data: Buffer;
}

/** Prevents a browser from rendering the file as a page of this service, or running scripts in it. */
const HEADERS = {
  'Cache-Control': 'private, max-age=3600',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
};

/** Reads images and files of messages. The caller has checked that the conversation belongs to the user. */
@Injectable()
export class MessageFiles {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly uploads: FilesService,
  ) {}

  /**
   * Files by hash, from the user's messages outside of the trash. The newest message with a file provides its name and
   * type.
   */
  async ofUser(userId: number, hashes: readonly string[]): Promise<Map<string, StoredFile>> {
    if (hashes.length === 0) {
      return new Map();
    }
    const { condition, parameters } = idIn(hashes, 'reference.hash');
    const newest = await runStatement(this.database.manager, newestWith(condition), [...parameters, userId]);
    const messages = await findRows(
      this.database.manager,
      MessageEntity,
      { id: In(newest.rows.map(([id]) => Number(id))) },
      { members: ['id', 'parts'], order: { id: 'ASC' } },
    );
    const files = messages.flatMap(({ parts }) => (parts ?? []).filter(isStoredFile));
    return new Map(files.filter(({ hash }) => hashes.includes(hash)).map((file) => [file.hash, file]));
  }

  /** @throws MessageNotFoundError, FileNotFoundError, ServiceUnavailableError while the storage is unavailable */
  async find(chat: Pick<ReadChat, 'id' | 'userId'>, messageId: number, hash: string): Promise<MessageFile> {
    const message = await findRow(
      this.database.manager,
      MessageEntity,
      { id: messageId, chatId: chat.id },
      { members: ['id', 'parts'] },
    );
    if (message === null) {
      throw new MessageNotFoundError();
    }
    const parts = message.parts ?? [];
    const searched = parts.find((part) => part.type === 'searched_file' && part.hash === hash);
    if (searched?.type === 'searched_file') {
      return { file: { ...searched, type: 'file' }, data: await this.readUpload(chat.userId, searched) };
    }
    const file = parts.filter(isStoredFile).find((part) => part.hash === hash);
    const data = file && (await this.blobs.get(hash));
    if (!file || !data) {
      throw new FileNotFoundError();
    }
    return { file, data };
  }

  /** The upload may have been deleted, or its sharing have ended. @throws FileNotFoundError */
  private async readUpload(userId: number, { file_id: fileId }: SearchedFile): Promise<Buffer> {
    try {
      const { content } = await this.uploads.content(userId, fileId ?? 0);
      return Buffer.concat((await content.toArray()) as Buffer[]);
    } catch (error) {
      throw error instanceof UploadedFileNotFoundError ? new FileNotFoundError() : error;
    }
  }
}

/** Sends the file as a download. */
export function sendFile(response: Response, { file, data }: MessageFile): StreamableFile {
  const { name, media_type: mediaType } = file;
  response.attachment(name ?? nameOf(file));
  response.setHeader('Content-Type', mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType);
  Object.entries(HEADERS).forEach(([header, value]) => response.setHeader(header, value));
  return new StreamableFile(data);
}

/** A name for a file without one. */
function nameOf({ type, media_type: mediaType, hash }: MessageFile['file']): string {
  const ending = /^(?:image|application)\/(png|jpeg|gif|webp|pdf|json)$/.exec(mediaType)?.[1] ?? 'txt';
  return `${type}-${hash.slice(0, 8)}.${ending}`;
}

/** SQL for the user's newest message with each of the files. */
function newestWith(isFile: string): string {
  return (
    'SELECT MAX(message.id) FROM chat_messages message ' +
    'JOIN blob_references reference ON reference.message_id = message.id JOIN chats chat ON chat.id = message.chat_id ' +
    `WHERE ${isFile} AND chat.user_id = ? AND chat.deleted_at IS NULL GROUP BY reference.hash`
  );
}
