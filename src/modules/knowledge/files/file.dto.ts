import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { FILE_PURPOSES, type FilePurpose, type KnowledgeFileEntity } from '../tables/knowledge-file.entity';

/** Filters of the list of files. */
export class ListFilesQueryDto extends PageQueryDto {
  /** A part of the name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(100)
  q?: string;
}

/** An uploaded file. */
export class FileDto {
  /** Id of the file. @example 7 */
  id: number;

  /** Its name. @example "handbook.pdf" */
  filename: string;

  /** Size in bytes. @example 48213 */
  bytes: number;

  /** Media type, by the content. @example "application/pdf" */
  media_type: string;

  /** What it is for, in OpenAI's terms. @example "user_data" */
  @ApiProperty({ enum: FILE_PURPOSES })
  purpose: FilePurpose;

  /** When it was uploaded. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** When it is deleted, by its own expiry or by a retention policy; null: never. @example "2026-03-02T09:30:00.000Z" */
  expires_at: string | null;

  /** Ids of the collections with this file that you may read. @example [3] */
  collections: number[];
}

/** The response to a deletion. */
export class DeletedFileDto {
  /** Id of the deleted file. @example 7 */
  id: number;

  /** Only if a legal hold keeps it. @example true */
  kept?: boolean;
}

/** @param expiresAt also by a retention policy */
export function toFileDto(file: KnowledgeFileEntity, collections: number[], expiresAt: Date | null): FileDto {
  return {
    id: file.id,
    filename: file.filename,
    bytes: file.bytes,
    media_type: file.mediaType,
    purpose: file.purpose,
    created_at: file.createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    collections,
  };
}
