import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { FieldRule, MaxLength, NullableField, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { type ImageDetail, INPUT_KINDS, type InputKind } from '../../../integrations/llm/port/message-parts';
import { SENT_USES, type SentUse } from '../../knowledge/knowledge.api';

/** The maximum length of all texts of a message, in characters. */
export const LONGEST_MESSAGE = 32_000;

/** The maximum number of parts of a message. Up to 20 of them may be images and files. */
export const MOST_SENT_PARTS = 100;

/** The length of a data URL with a file of 10 MiB in base64 with line breaks. */
const LONGEST_URL = 15_000_000;

/** The maximum accepted length of a name; its start is stored. */
const LONGEST_NAME = 1_000;

const IMAGE_DETAILS = ['auto', 'low', 'high'] as const;

/**
 * A part of a message: a text, or an image or file given by one of `url`, `file` and `file_id`. Also accepts a `file`
 * part of the AI SDK, which is an image if its `mediaType` says so.
 */
@ObjectExample({ type: 'text', text: 'What is worth seeing?' })
export class SentPartDto {
  /** The kind of part; an image is a file that the model sees. @example "image" */
  @IsIn(INPUT_KINDS)
  type: InputKind;

  /** The text of a `text` part. @example "What is on this picture?" */
  @ValidateIf(({ type }: SentPartDto) => type === 'text')
  @MaxLength(LONGEST_MESSAGE)
  @IsString()
  text?: string;

  /**
   * A base64 data URL, which may contain white space, or an http(s) URL, of at most 10 MiB. An image is PNG, JPEG, GIF or
   * WebP. @example "data:image/png;base64,iVBORw0KGgo="
   */
  @ValidateIf((part: SentPartDto) => isFile(part.type) && (part.url !== undefined || !isStored(part)))
  @FieldRule<SentPartDto>('conflicts', (_url, part) => !isStored(part))
  @MaxLength(LONGEST_URL)
  @MinLength(1)
  @IsString()
  url?: string;

  /**
   * Instead of `url`: the `hash` of an image or file in one of your messages.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @ValidateIf(({ type, file }: SentPartDto) => isFile(type) && file !== undefined)
  @FieldRule<SentPartDto>('conflicts', (_file, { file_id }) => file_id === undefined)
  @Matches(/^[0-9a-f]{64}$/)
  @MaxLength(64)
  @IsString()
  file?: string;

  /** Instead of `url`: the id of an uploaded file that you may read. @example 7 */
  @ValidateIf(({ type, file_id }: SentPartDto) => isFile(type) && file_id !== undefined)
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  file_id?: number;

  /**
   * How the model uses a `file`: `whole` sends it the file or refuses the message, and `search` lets it search the file
   * with `search_knowledge` and cite it. `auto` (default) sends the file if the model accepts the format and everything
   * fits into its context; otherwise the model searches it. @example "search"
   */
  @ValidateIf(({ type, use }: SentPartDto) => isFile(type) && use !== undefined)
  @FieldRule<SentPartDto>('conflicts', (use, { type }) => type !== 'image' || use !== 'search')
  @IsIn(SENT_USES)
  @ApiProperty({ enum: SENT_USES, default: 'auto' })
  use?: SentUse;

  /** The name; the first 255 characters are stored. @example "lisbon.png" */
  @NullableField()
  @MaxLength(LONGEST_NAME)
  @IsString()
  name?: string | null;

  /** The resolution at which the model processes the image. @example "low" */
  @NullableField()
  @IsIn(IMAGE_DETAILS)
  @ApiProperty({ enum: IMAGE_DETAILS, nullable: true })
  detail?: ImageDetail | null;

  /** The name, in the format of the AI SDK. @example "lisbon.png" */
  @OptionalField()
  @MaxLength(LONGEST_NAME)
  @IsString()
  filename?: string;

  /**
   * The media type, in the format of the AI SDK; `image/…` makes a `file` an image. The detected content type takes
   * precedence. @example "image/png"
   */
  @OptionalField()
  @MaxLength(255)
  @IsString()
  mediaType?: string;
}

function isStored({ file, file_id }: SentPartDto): boolean {
  return file !== undefined || file_id !== undefined;
}

function isFile(type: unknown): boolean {
  return type === 'image' || type === 'file';
}
