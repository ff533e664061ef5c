import { Injectable, Logger } from '@nestjs/common';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { idIn } from '../../database/statements/row-condition';
import { runStatement } from '../../database/statements/run-statement';
import { BlobReferences } from '../../integrations/blob-store/blob-references';
import { StorageService } from '../usage/usage.api';

/** References in one batch. */
const BATCH = 200;

/** Pause between two batches, in milliseconds, to leave capacity for requests. */
const PAUSE_MILLISECONDS = 5;

const USERS = 'SELECT message.id, chat.user_id FROM chat_messages message JOIN chats chat ON chat.id = message.chat_id';

/** Assigns files to their users. An earlier version stored message files without their user. */
@Injectable()
export class FileUsers {
  private readonly logger = new Logger(FileUsers.name);

  constructor(
    private readonly database: Database,
    private readonly references: BlobReferences,
    private readonly storage: StorageService,
    background: BackgroundWork,
  ) {
    background.add({
      step: async () => ((await this.count()) ? PAUSE_MILLISECONDS : null),
      onError: (error) => this.logger.warn({ error }, 'Files of earlier versions could not be counted.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /**
   * Processes one batch.
   *
   * @returns whether there may be more
   */
  async count(): Promise<boolean> {
    const ids = await this.references.messagesWithoutUser(BATCH);
    if (ids.length === 0) {
      return false;
    }
    const { condition, parameters } = idIn(ids, 'message.id');
    const { rows } = await runStatement(this.database.manager, `${USERS} WHERE ${condition}`, parameters);
    const userOf = new Map(rows.map(([id, userId]) => [Number(id), Number(userId)]));
    // A reference is committed together with its message, so the remaining ones belong to erased messages.
    const gone = ids.filter((id) => !userOf.has(id));
    await this.database.write(async (manager) => {
      await this.storage.adopt(manager, userOf);
      if (gone.length > 0) {
        await this.storage.remove(manager, gone);
      }
    });
    return true;
  }
}
