import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { toUnixSeconds } from '../../../common/time';
import { SwitchParameter } from '../../../common/validation/parameters';
import { type FoundStore, isExpired, type StoreContents } from '../../knowledge/knowledge.api';
import { toObjectId } from '../object-ids';

/** Options for deleting a vector store. */
export class DeleteVectorStoreQueryDto {
  /** Also deletes a store that agents use, and removes it from them. */
  @ApiPropertyOptional()
  @SwitchParameter()
  @IsBoolean()
  force: boolean = false;
}

/** The number of files with each status. */
export class VectorStoreFileCountsDto {
  /** Being read. @example 0 */
  @ApiProperty({ type: 'integer' })
  in_progress: number;

  /** Found by searches. @example 12 */
  @ApiProperty({ type: 'integer' })
  completed: number;

  /** Could not be read. @example 1 */
  @ApiProperty({ type: 'integer' })
  failed: number;

  /** Cancelled with their batch. @example 0 */
  @ApiProperty({ type: 'integer' })
  cancelled: number;

  /** All files. @example 13 */
  @ApiProperty({ type: 'integer' })
  total: number;
}

/** When a vector store expires. */
export class VectorStoreExpiryDto {
  /** Always `last_active_at`. @example "last_active_at" */
  anchor: 'last_active_at';

  /** Days without a search or a change. @example 30 */
  @ApiProperty({ type: 'integer' })
  days: number;
}

const STATUSES = ['in_progress', 'completed', 'expired'] as const;

/** A collection of files, as OpenAI's API shows it. */
export class VectorStoreDto {
  /** `vs_` and the id of the collection. @example "vs_3" */
  id: string;

  /** Always `vector_store`. @example "vector_store" */
  object: 'vector_store';

  /** The name; may be empty. @example "Handbooks" */
  name: string;

  /** What the files are about; null if nothing was set. @example "Manuals of our products" */
  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  /** When it was created, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** `in_progress` while a file is being read. @example "completed" */
  @ApiProperty({ enum: STATUSES })
  status: (typeof STATUSES)[number];

  /** The number of files with each status. */
  file_counts: VectorStoreFileCountsDto;

  /** Size of the passages' texts and vectors. @example 96120 */
  @ApiProperty({ type: 'integer' })
  usage_bytes: number;

  /** When it was last searched or its files changed, to the minute, in Unix seconds. @example 1769855400 */
  @ApiProperty({ type: 'integer' })
  last_active_at: number;

  /** After how many inactive days it expires; null: never. */
  @ApiProperty({ type: VectorStoreExpiryDto, nullable: true })
  expires_after: VectorStoreExpiryDto | null;

  /** When it expires, in Unix seconds; null: never. @example 1772443800 */
  @ApiProperty({ type: 'integer', nullable: true })
  expires_at: number | null;

  /** The client's metadata. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { team: 'support' } })
  metadata: Record<string, string>;
}

/** A page of vector stores. */
export class VectorStoreListDto {
  /** Always `list`. @example "list" */
  object: 'list';

  /** The stores that you may read. */
  data: VectorStoreDto[];

  /** The first id; null if the page is empty. @example "vs_3" */
  @ApiProperty({ type: String, nullable: true })
  first_id: string | null;

  /** The last id; null if the page is empty. @example "vs_3" */
  @ApiProperty({ type: String, nullable: true })
  last_id: string | null;

  /** Whether there are more stores. @example false */
  has_more: boolean;
}

/** The result of a deletion. */
export class DeletedVectorStoreDto {
  /** The deleted store. @example "vs_3" */
  id: string;

  /** Always `vector_store.deleted`. @example "vector_store.deleted" */
  object: 'vector_store.deleted';

  /** Always true. @example true */
  deleted: true;
}

export function toVectorStoreDto({ store }: FoundStore, contents: StoreContents, now: Date): VectorStoreDto {
  const { id, name, description, createdAt, lastActiveAt, expiresAfterDays: days, expiresAt, metadata } = store;
  const running = contents.files.in_progress > 0 ? ('in_progress' as const) : ('completed' as const);
  return {
    id: toObjectId('store', id),
    object: 'vector_store',
    name,
    description,
    created_at: toUnixSeconds(createdAt),
    status: isExpired(store, now) ? 'expired' : running,
    file_counts: contents.files,
    usage_bytes: contents.usageBytes,
    last_active_at: toUnixSeconds(lastActiveAt),
    expires_after: days === null ? null : { anchor: 'last_active_at', days },
    expires_at: expiresAt && toUnixSeconds(expiresAt),
    metadata,
  };
}
