import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { rowExists } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, MessageNotFoundError } from '../conversations/chat.errors';
import { chatReadEvent } from '../conversations/chat.events';
import { MessageEntity } from '../conversations/message.entity';

/** Stores how far users have read, for their other devices. */
@Injectable()
export class ReadPlaceService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Marks the conversation as read up to this message. An older message than the stored one changes nothing.
   *
   * @returns the newest message that was read
   * @throws ChatNotFoundError, MessageNotFoundError
   */
  mark(userId: number, id: number, messageId: number): Promise<number> {
    return this.database.write(async (manager) => {
      const chat = await findLocked(manager, ChatEntity, { id, userId });
      if (chat === null) {
        throw new ChatNotFoundError();
      }
      if (!(await rowExists(manager, MessageEntity, { id: messageId, chatId: id }))) {
        throw new MessageNotFoundError();
      }
      if (messageId <= (chat.readMessageId ?? 0)) {
        return chat.readMessageId ?? messageId;
      }
      await updateRows(manager, ChatEntity, { readMessageId: messageId }, { id });
      await this.events.publish(manager, chatReadEvent(chat, messageId, this.clock.now()));
      return messageId;
    });
  }
}
