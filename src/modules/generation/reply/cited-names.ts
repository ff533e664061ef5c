import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import type { Passage } from '../../../integrations/llm/port/message-parts';
import { ToolCallEntity } from '../actions/tool-call.entity';
import { storedPassages } from './passages';
import { ReplyTables } from './reply-origin';
import type { StoredPart } from './stored-parts';

/** Calls that are read at once. */
const BATCH = 200;

/** Clears the names of erased files in the replies that cite them, also in those of other users. */
@Injectable()
export class CitedNames {
  constructor(
    private readonly database: Database,
    private readonly tables: ReplyTables,
  ) {}

  async clear(fileIds: ReadonlySet<number>): Promise<void> {
    if (fileIds.size === 0) {
      return;
    }
    const names = (passages: readonly Passage[]): boolean => passages.some(({ file_id }) => fileIds.has(file_id));
    const searches = { source: 'knowledge' };
    const options = { members: ['id', 'messageId', 'source', 'name', 'result'], rows: BATCH } as const;
    for await (const calls of keysetBatches(this.database.manager, ToolCallEntity, searches, {
      ...options,
      members: [...options.members],
    })) {
      for (const call of calls) {
        const found = storedPassages(call);
        if (found !== null && names(found.passages)) {
          const result = JSON.stringify({ ...found, passages: withoutNames(found.passages, fileIds) });
          await this.database.write(async (manager) => {
            await this.clearReply(manager, call.messageId, fileIds);
            await updateRows(manager, ToolCallEntity, { result }, { id: call.id });
          });
        }
      }
    }
  }

  private async clearReply(manager: EntityManager, id: number, fileIds: ReadonlySet<number>): Promise<void> {
    for (const { entity } of this.tables.all) {
      const reply =
        (await findRow(manager, entity, { id }, { members: ['id'] })) && (await findLocked(manager, entity, { id }));
      if (reply?.parts) {
        const parts = reply.parts.map((part): StoredPart =>
          part.type === 'tool_result' && part.passages
            ? { ...part, passages: withoutNames(part.passages, fileIds) }
            : part,
        );
        await updateRows(manager, entity, { parts }, { id });
      }
    }
  }
}

function withoutNames(passages: readonly Passage[], fileIds: ReadonlySet<number>): Passage[] {
  return passages.map((passage) => (fileIds.has(passage.file_id) ? { ...passage, filename: '' } : passage));
}
