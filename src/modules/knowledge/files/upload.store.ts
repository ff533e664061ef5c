import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { BlobHolders } from '../../../integrations/blob-store/blob-holders';
import { StorageService } from '../../usage/usage.api';
import { KnowledgeUploadEntity, KnowledgeUploadPartEntity, type UploadStatus } from '../tables/knowledge-upload.entity';

/** The kind of the rows in `blob_holders`. */
export const PART_KIND = 'knowledge_upload_part';

/** Ends and removes uploads in parts. Call the methods within `Database.write`. */
@Injectable()
export class UploadStore {
  constructor(
    private readonly holders: BlobHolders,
    private readonly storage: StorageService,
  ) {}

  /** A pending upload ends: its parts are removed, and its bytes are no longer reserved. */
  async end(manager: EntityManager, id: number, status: UploadStatus): Promise<void> {
    const upload = await findLocked(manager, KnowledgeUploadEntity, { id });
    if (upload?.status === 'pending') {
      await updateRows(manager, KnowledgeUploadEntity, { status }, { id });
      // The counters before the blobs, as all who store and delete files do.
      await this.storage.removeBytes(manager, new Map([[upload.userId, upload.bytes]]));
      await this.removeParts(manager, [id]);
    }
  }

  /** Removes uploads, pending or not. */
  async remove(manager: EntityManager, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      await this.end(manager, id, 'cancelled');
    }
    await this.removeParts(manager, ids);
    await deleteRows(manager, KnowledgeUploadEntity, { id: In([...ids]) });
  }

  private async removeParts(manager: EntityManager, uploadIds: readonly number[]): Promise<void> {
    const ofUploads = { uploadId: In([...uploadIds]) };
    const parts = await findRows(manager, KnowledgeUploadPartEntity, ofUploads, { members: ['id'] });
    if (parts.length > 0) {
      await deleteRows(manager, KnowledgeUploadPartEntity, ofUploads);
      await this.holders.remove(
        manager,
        PART_KIND,
        parts.map(({ id }) => id),
      );
    }
  }
}
