import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import type { Language } from '../../../common/i18n/language';
import { translate } from '../../../common/i18n/translator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { ENTRY_FAULTS } from '../files/file.errors';
import {
  ENTRY_ERRORS,
  ENTRY_STAGES,
  ENTRY_STATUSES,
  ENTRY_WARNINGS,
  type EntryAttributes,
  type EntryError,
  type EntryStage,
  type EntryStatus,
  type EntryWarning,
} from '../tables/knowledge-entry.entity';
import type { EntryWithFile } from './entries.service';

/** Filters of the files of a collection. */
export class ListEntriesQueryDto extends PageQueryDto {
  /** Only files with this status. */
  @OptionalField()
  @IsIn(ENTRY_STATUSES)
  @ApiPropertyOptional({ enum: ENTRY_STATUSES })
  status?: EntryStatus;

  /** A part of the name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(100)
  q?: string;
}

/** The part of a text to read. */
export class ReadTextQueryDto {
  /** Offset of its first UTF-16 unit. */
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(100_000_000)
  start: number = 0;

  /** Offset after its last UTF-16 unit. The response has at most 20,000 units. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(100_000_000)
  end?: number;
}

/** How far a file is. */
export class EntryProgressDto {
  /** Units of the present stage that are done. @example 12 */
  done: number;

  /** Units of the present stage; 0 if unknown. @example 12 */
  total: number;
}

/** Why a file could not be read. */
export class EntryErrorDto {
  /** A stable code. @example "encrypted" */
  @ApiProperty({ enum: ENTRY_ERRORS })
  code: EntryError;

  /** What to do, in your language. @example "“handbook.pdf” needs a password. Remove it and upload the file again." */
  message: string;
}

/** A file in a collection. */
export class EntryDto {
  /** Id of the file. @example 7 */
  file_id: number;

  /** Its name. @example "handbook.pdf" */
  filename: string;

  /** Size in bytes. @example 48213 */
  bytes: number;

  /** Media type, by the content. @example "application/pdf" */
  media_type: string;

  /** `completed`: searches find it. @example "completed" */
  @ApiProperty({ enum: ENTRY_STATUSES })
  status: EntryStatus;

  /** What is being done; null if it failed or was cancelled. @example "done" */
  @ApiProperty({ enum: [...ENTRY_STAGES, null], nullable: true, type: String })
  stage: EntryStage | null;

  /** How much of the current stage is done. */
  progress: EntryProgressDto;

  /** Why it could not be read; null if it has not failed. */
  @ApiProperty({ type: EntryErrorDto, nullable: true, example: null })
  error: EntryErrorDto | null;

  /** What a completed file lacks; null if nothing. @example null */
  @ApiProperty({ enum: [...ENTRY_WARNINGS, null], nullable: true, type: String })
  warning: EntryWarning | null;

  /** Passages that searches can find. @example 40 */
  passages: number;

  /** Values by which searches can select the file. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    example: { department: 'sales' },
  })
  attributes: EntryAttributes;

  /** When it was attached. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** When it was completed or failed; null before that. @example "2026-01-31T09:30:02.000Z" */
  @ApiProperty({ type: String, nullable: true })
  completed_at: string | null;
}

/** The response to a removal. */
export class RemovedEntryDto {
  /** Id of the file, which stays. @example 7 */
  file_id: number;
}

/** Where a page starts. */
export class TextPageDto {
  /** Number of the page, slide or sheet, from 1. @example 3 */
  page: number;

  /** Offset in the text. @example 4210 */
  start: number;
}

/** A part of the text of a file. Offsets count UTF-16 units. */
export class EntryTextDto {
  /** The part. @example "Holidays are requested two weeks ahead." */
  text: string;

  /** Where it starts. @example 0 */
  start: number;

  /** Where it ends, exclusive. @example 39 */
  end: number;

  /** Length of the whole text. @example 39 */
  length: number;

  /** The pages of this part, the first of which may start before it; empty if the file has no pages. */
  pages: TextPageDto[];
}

export function toEntryDto({ entry, file }: EntryWithFile, language: Language): EntryDto {
  return {
    file_id: file.id,
    filename: file.filename,
    bytes: file.bytes,
    media_type: file.mediaType,
    status: entry.status,
    stage: entry.stage,
    progress: { done: entry.progressDone, total: entry.progressTotal },
    error: entry.errorCode && { code: entry.errorCode, message: entryFault(entry.errorCode, file.filename, language) },
    warning: entry.warning,
    passages: entry.passages,
    attributes: entry.attributes,
    created_at: entry.createdAt.toISOString(),
    completed_at: entry.completedAt?.toISOString() ?? null,
  };
}

/** Why a file could not be read, in one sentence that names it and says what to do. */
export function entryFault(code: EntryError, filename: string, language: Language): string {
  return translate(language, ENTRY_FAULTS[code], { filename });
}
