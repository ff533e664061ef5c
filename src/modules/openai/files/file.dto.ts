import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { toUnixSeconds } from '../../../common/time';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { FILE_PURPOSES, type FilePurpose, type KnowledgeFile } from '../../knowledge/knowledge.api';
import { CursorQueryDto } from '../cursor-query.dto';
import { toObjectId } from '../object-ids';

/** Selects files. */
export class OpenAiFileListQueryDto extends CursorQueryDto {
  /** The maximum number of files. A page has at most 1,000. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(10_000)
  limit: number = 10_000;

  /** Only files for this purpose. */
  @OptionalField()
  @IsIn(FILE_PURPOSES)
  @ApiPropertyOptional({ enum: FILE_PURPOSES })
  purpose?: FilePurpose;
}

/** An uploaded file. */
export class OpenAiFileDto {
  /** `file-` and the id of the file. @example "file-7" */
  id: string;

  /** Always `file`. @example "file" */
  object: 'file';

  /** Size in bytes. @example 48213 */
  bytes: number;

  /** When it was uploaded, in Unix seconds. @example 1769851800 */
  @ApiProperty({ type: 'integer' })
  created_at: number;

  /** When it is deleted, in Unix seconds; absent: it stays. @example 1772443800 */
  @ApiPropertyOptional({ type: 'integer' })
  expires_at?: number;

  /** Its name, without a path. @example "handbook.pdf" */
  filename: string;

  /** What it is for. @example "assistants" */
  @ApiProperty({ enum: FILE_PURPOSES })
  purpose: FilePurpose;

  /** Always `processed`: collections have the status of their files. @example "processed" */
  status: 'processed';

  /** Always null. */
  @ApiProperty({ type: String, nullable: true, example: null })
  status_details: null;
}

/** A page of files. */
export class OpenAiFileListDto {
  /** Always `list`. @example "list" */
  object: 'list';

  /** The files. */
  data: OpenAiFileDto[];

  /** The first id; null if the page is empty. @example "file-7" */
  @ApiProperty({ type: String, nullable: true })
  first_id: string | null;

  /** The last id; null if the page is empty. @example "file-7" */
  @ApiProperty({ type: String, nullable: true })
  last_id: string | null;

  /** Whether there are more files. @example false */
  has_more: boolean;
}

/** The result of a deletion. */
export class OpenAiDeletedFileDto {
  /** The deleted file. @example "file-7" */
  id: string;

  /** Always `file`. @example "file" */
  object: 'file';

  /** Always true. @example true */
  deleted: true;
}

export function toOpenAiFileDto(file: KnowledgeFile): OpenAiFileDto {
  const { id, bytes, createdAt, expiresAt, filename, purpose } = file;
  return {
    id: toObjectId('file', id),
    object: 'file',
    bytes,
    created_at: toUnixSeconds(createdAt),
    ...(expiresAt && { expires_at: toUnixSeconds(expiresAt) }),
    filename,
    purpose,
    status: 'processed',
    status_details: null,
  };
}
