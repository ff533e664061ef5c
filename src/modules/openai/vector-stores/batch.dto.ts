import { ApiProperty } from '@nestjs/swagger';
import { toUnixSeconds } from '../../../common/time';
import type { BatchState } from '../../knowledge/knowledge.api';
import { toObjectId } from '../object-ids';
import { VectorStoreFileCountsDto } from './store.dto';

const STATUSES = ['in_progress', 'completed', 'cancelled'] as const;

/** Files that were added to a vector store with one request. */
export class VectorStoreFileBatchDto {
  /** `vsfb_` and the id of the batch. @example "vsfb_5" */
  id: string;

  /** Always `vector_store.files_batch`. @example "vector_store.files_batch" */
  object: 'vector_store.files_batch';

  /** When it was created, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** The vector store. @example "vs_3" */
  vector_store_id: string;

  /** `completed`: every file has ended, also those that failed. @example "in_progress" */
  @ApiProperty({ enum: STATUSES })
  status: (typeof STATUSES)[number];

  /** The number of its files with each status. */
  file_counts: VectorStoreFileCountsDto;
}

export function toBatchDto({ batch, status, counts }: BatchState): VectorStoreFileBatchDto {
  return {
    id: toObjectId('batch', batch.id),
    object: 'vector_store.files_batch',
    created_at: toUnixSeconds(batch.createdAt),
    vector_store_id: toObjectId('store', batch.storeId),
    status,
    file_counts: counts,
  };
}
