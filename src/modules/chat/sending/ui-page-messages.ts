import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Database } from '../../../database/database';
import { MessageNotFoundError } from '../chat.errors';
import { MessageEntity } from '../entities/message.entity';
import type { ExchangeRequest } from './exchange.service';
import type { UiPage } from './ui-page';

/** The message that a request is about. */
interface FoundMessage {
  id: number;
  content: string;
}

/** Finds the stored messages that pages of the AI SDK mean, by our ids and by their place beside those. */
@Injectable()
export class UiPageMessages {
  constructor(private readonly database: Database) {}

  /**
   * The message that gets another wording; null when none is named, or the page names one that was never stored.
   *
   * @param messageId an id of ours that the request names
   * @throws MessageNotFoundError when no page tells which other message could be meant.
   */
  async toWordAnew(chatId: number, messageId: number | null, page: UiPage | null): Promise<number | null> {
    if (messageId === null && !page?.namesMessage) {
      return null;
    }
    if (await this.has(chatId, messageId)) {
      return messageId;
    }
    if (page === null) {
      throw new MessageNotFoundError();
    }
    return (await this.find(chatId, page))?.id ?? null;
  }

  /** What is to be answered anew; the content itself where the page shows a message that was never stored. */
  async toAnswerAnew(
    chatId: number,
    messageId: number | null,
    content: string,
    page: UiPage | null,
  ): Promise<Pick<ExchangeRequest, 'messageId' | 'content'>> {
    if (await this.has(chatId, messageId)) {
      return { messageId, content: null };
    }
    const found = page === null ? await this.findNewest(chatId) : await this.find(chatId, page);
    const isStored = found !== null && (page === null || page.texts.length === 0 || found.content === content);
    return isStored || page === null ? { messageId: found?.id ?? 0, content: null } : { messageId: null, content };
  }

  private async has(chatId: number, id: number | null): Promise<boolean> {
    return id !== null && (await this.database.repository(MessageEntity).existsBy({ id, chatId }));
  }

  private findNewest(chatId: number): Promise<FoundMessage | null> {
    return this.database.repository(MessageEntity).findOne({
      select: { id: true, content: true },
      where: { chatId, role: 'user', isCurrent: true },
      order: { position: 'DESC', id: 'DESC' },
    });
  }

  /**
   * The user's message that the page shows last. The user's messages behind the last one with an id of ours stand on the
   * page as they are stored, but for those that were refused: these the texts tell.
   */
  private async find(chatId: number, { knownId, texts }: UiPage): Promise<FoundMessage | null> {
    const known = knownId === null ? null : await this.read(chatId, knownId);
    if (knownId !== null && (known === null || texts.length === 0)) {
      return known;
    }
    const stored = await this.usersAfter(chatId, known, texts.length);
    let index = 0;
    for (const text of texts.slice(0, -1)) {
      index += stored[index]?.content === text ? 1 : 0;
    }
    return stored[index] ?? null;
  }

  private read(chatId: number, id: number): Promise<MessageEntity | null> {
    return this.database.repository(MessageEntity).findOneBy({ id, chatId });
  }

  /** Messages of the user on the current line; what follows a message on another line is the newest that was sent there. */
  private usersAfter(chatId: number, known: MessageEntity | null, count: number): Promise<FoundMessage[]> {
    const position = MoreThan(known?.position ?? -1);
    const isOffLine = known !== null && !known.isCurrent;
    return this.database.repository(MessageEntity).find({
      select: { id: true, content: true },
      where: { chatId, role: 'user', position, ...(isOffLine ? { parentId: known.id } : { isCurrent: true }) },
      order: isOffLine ? { id: 'DESC' } : { position: 'ASC' },
      take: count,
    });
  }
}
