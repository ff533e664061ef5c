import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { gauge } from '../../../common/metrics/metrics';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { TextIndex } from '../../../integrations/text-index/text-index';
import { ChatEntity } from '../conversations/chat.entity';
import { IndexedMessages } from './indexed-messages';
import { SEARCH_TABLES } from './search-tables.entity';

/** Knows which messages of a user may have a text. */
@Injectable()
export class MessageIndex extends TextIndex {
  constructor(
    private readonly database: Database,
    clock: SharedClock,
    background: BackgroundWork,
    messages: IndexedMessages,
  ) {
    super({ database, clock, background }, messages, SEARCH_TABLES);
    gauge('search_index_lag_messages', 'Messages that are in no segment of the search yet', () => this.lag());
    gauge('search_segments_waiting', 'Parts of the index of the search that wait to be built', () => this.waiting());
  }

  /** Takes conversations out, when their messages are erased already and they themselves are not. */
  async removeChats(chatIds: number[]): Promise<void> {
    const chats = await this.database
      .repository(ChatEntity)
      .find({ select: { id: true, userId: true }, where: { id: In(chatIds) }, withDeleted: true });
    await this.removeGroups([...new Set(chats.map(({ userId }) => userId))], chatIds);
  }
}
