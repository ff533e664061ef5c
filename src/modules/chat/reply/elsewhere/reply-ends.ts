import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database';
import { ChatEntity } from '../../entities/chat.entity';
import type { MessageEntity } from '../../entities/message.entity';
import type { ReplyEnd } from '../live-reply';

/** Tells how stored replies ended. */
@Injectable()
export class ReplyEnds {
  constructor(private readonly database: Database) {}

  /** Null while the reply is written. */
  async of(message: MessageEntity): Promise<ReplyEnd | null> {
    const { status, finishReason, tokenUsage, failure } = message;
    return status === 'streaming'
      ? null
      : { status, finishReason, usage: tokenUsage, failure, title: await this.titleFrom(message) };
  }

  /** The title that the conversation got from this reply's exchange, unless the user has given it another one since. */
  private async titleFrom({ id, chatId }: MessageEntity): Promise<string | null> {
    const chat = await this.database
      .repository(ChatEntity)
      .findOne({ select: { id: true, title: true }, where: { id: chatId, titleReplyId: id }, withDeleted: true });
    return chat?.title ?? null;
  }
}
