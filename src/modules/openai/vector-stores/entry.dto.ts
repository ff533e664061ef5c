import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { Language } from '../../../common/i18n/language';
import { toUnixSeconds } from '../../../common/time';
import { OptionalField } from '../../../common/validation/fields';
import {
  ENTRY_STATUSES,
  type EntryError,
  entryFault,
  type EntryStatus,
  type EntryWithFile,
} from '../../knowledge/knowledge.api';
import { LimitedCursorQueryDto } from '../cursor-query.dto';
import { toObjectId } from '../object-ids';

/** Selects files of a vector store. */
export class VectorStoreFileListQueryDto extends LimitedCursorQueryDto {
  /** Only files with this status. */
  @OptionalField()
  @IsIn(ENTRY_STATUSES)
  @ApiPropertyOptional({ enum: ENTRY_STATUSES })
  filter?: EntryStatus;
}

const ERROR_CODES = ['server_error', 'unsupported_file', 'invalid_file'] as const;

type ErrorCode = (typeof ERROR_CODES)[number];

/** OpenAI's code of each reason; all others are `invalid_file`. */
const CODES: Partial<Record<EntryError, ErrorCode>> = {
  type_not_supported: 'unsupported_file',
  encoding: 'unsupported_file',
  internal: 'server_error',
};

/** Why a file could not be read. */
export class VectorStoreFileErrorDto {
  /** The kind of reason. @example "invalid_file" */
  @ApiProperty({ enum: ERROR_CODES })
  code: ErrorCode;

  /** What to do, in your language. @example "“handbook.pdf” needs a password. Remove it and upload the file again." */
  message: string;
}

/** Sizes of passages, in tokens. */
export class StaticChunkingDto {
  /** Tokens of a passage at most. @example 800 */
  @ApiProperty({ type: 'integer' })
  max_chunk_size_tokens: number;

  /** Tokens that two neighbouring passages share. @example 400 */
  @ApiProperty({ type: 'integer' })
  chunk_overlap_tokens: number;
}

/** How a text is cut into passages. */
export class ChunkingStrategyDto {
  /** Always `static`: `auto` is shown as its sizes. @example "static" */
  type: 'static';

  /** The sizes. */
  static: StaticChunkingDto;
}

/** A file in a vector store. */
export class VectorStoreFileDto {
  /** Id of the file. @example "file-7" */
  id: string;

  /** Always `vector_store.file`. @example "vector_store.file" */
  object: 'vector_store.file';

  /** When it was attached, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** The vector store. @example "vs_3" */
  vector_store_id: string;

  /** `completed`: searches find it. @example "completed" */
  @ApiProperty({ enum: ENTRY_STATUSES })
  status: EntryStatus;

  /** Why it could not be read; null if it has not failed. */
  @ApiProperty({ type: VectorStoreFileErrorDto, nullable: true, example: null })
  last_error: VectorStoreFileErrorDto | null;

  /** Size of its passages' texts and vectors. @example 9612 */
  @ApiProperty({ type: 'integer' })
  usage_bytes: number;

  /** Values by which searches can select the file. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    example: { product: 'console' },
  })
  attributes: Record<string, string | number | boolean>;

  /** How its text is cut. */
  chunking_strategy: ChunkingStrategyDto;
}

/** A page of files of a vector store. */
export class VectorStoreFileListDto {
  /** Always `list`. @example "list" */
  object: 'list';

  /** The files. */
  data: VectorStoreFileDto[];

  /** The first id; null if the page is empty. @example "file-7" */
  @ApiProperty({ type: String, nullable: true })
  first_id: string | null;

  /** The last id; null if the page is empty. @example "file-7" */
  @ApiProperty({ type: String, nullable: true })
  last_id: string | null;

  /** Whether there are more files. @example false */
  has_more: boolean;
}

/** The result of a removal. */
export class RemovedVectorStoreFileDto {
  /** The file, which stays. @example "file-7" */
  id: string;

  /** Always `vector_store.file.deleted`. @example "vector_store.file.deleted" */
  object: 'vector_store.file.deleted';

  /** Always true. @example true */
  deleted: true;
}

/** A piece of a text. */
export class VectorStoreTextDto {
  /** Always `text`. @example "text" */
  type: 'text';

  /** The text. @example "Holidays are requested two weeks ahead." */
  text: string;
}

/** The parsed text of a file in a vector store. */
export class VectorStoreFileContentDto {
  /** Always `vector_store.file_content.page`. @example "vector_store.file_content.page" */
  object: 'vector_store.file_content.page';

  /** All pieces, in order. Together they are the text. */
  data: VectorStoreTextDto[];

  /** Always false. @example false */
  has_more: false;

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, example: null })
  next_page: null;
}

export function toVectorStoreFileDto({ entry, file }: EntryWithFile, language: Language): VectorStoreFileDto {
  const { errorCode: error, status, chunkSize, chunkOverlap } = entry;
  return {
    id: toObjectId('file', file.id),
    object: 'vector_store.file',
    created_at: toUnixSeconds(entry.createdAt),
    vector_store_id: toObjectId('store', entry.storeId),
    status,
    last_error: error && {
      code: CODES[error] ?? 'invalid_file',
      message: entryFault(error, file.filename, language),
    },
    usage_bytes: entry.usageBytes,
    attributes: entry.attributes,
    chunking_strategy: {
      type: 'static',
      static: { max_chunk_size_tokens: chunkSize, chunk_overlap_tokens: chunkOverlap },
    },
  };
}

/** A cancelled file for clients that stop polling only at `failed`. */
export function asFailed(entry: VectorStoreFileDto, message: string): VectorStoreFileDto {
  return { ...entry, status: 'failed', last_error: { code: 'server_error', message } };
}
