import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches, MinLength, ValidateIf } from 'class-validator';
import { FieldRule, MaxLength, NullableField, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { type ImageDetail, INPUT_KINDS, type InputKind } from '../../../integrations/llm/port/message-parts';

/** Most characters of all texts of a message together. */
export const LONGEST_MESSAGE = 32_000;

/** Most parts of a message. Of them 20 may be images and files. */
export const MOST_PARTS = 100;

/** A file of 10 MiB in base64, in lines, with what stands before it. */
const LONGEST_URL = 15_000_000;

/** Of a longer name the beginning is kept. */
const LONGEST_NAME = 1_000;

const IMAGE_DETAILS = ['auto', 'low', 'high'] as const;

/**
 * A part of a message: a text, or an image or file, which `url` or `file` names. A `file` part of a message of the AI SDK is
 * one too; by its `mediaType` it may be an image.
 */
@ObjectExample({ type: 'text', text: 'What is worth seeing?' })
export class SentPartDto {
  /** What it is; an image is a file that the model looks at. @example "image" */
  @IsIn(INPUT_KINDS)
  type: InputKind;

  /** The text of a `text`. @example "What is on this picture?" */
  @ValidateIf(({ type }: SentPartDto) => type === 'text')
  @MaxLength(LONGEST_MESSAGE)
  @IsString()
  text?: string;

  /** A data URL in base64, which may contain white space, or an http(s) URL: PNG, JPEG, GIF, WebP; of a `file` PDF, and text in UTF-8. At most 10 MiB. @example "data:image/png;base64,iVBORw0KGgo=" */
  @ValidateIf(({ type, url, file }: SentPartDto) => isFile(type) && (file === undefined || url !== undefined))
  @FieldRule<SentPartDto>('conflicts', (_url, { file }) => file === undefined)
  @MaxLength(LONGEST_URL)
  @MinLength(1)
  @IsString()
  url?: string;

  /** Instead of `url`: the `hash` of an image or file that is in one of your messages. @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  @ValidateIf(({ type, file }: SentPartDto) => isFile(type) && file !== undefined)
  @Matches(/^[0-9a-f]{64}$/)
  @MaxLength(64)
  @IsString()
  file?: string;

  /** A name for it; 255 characters are kept. @example "lisbon.png" */
  @NullableField()
  @MaxLength(LONGEST_NAME)
  @IsString()
  name?: string | null;

  /** How closely the model looks at an image. @example "low" */
  @NullableField()
  @IsIn(IMAGE_DETAILS)
  @ApiProperty({ enum: IMAGE_DETAILS, nullable: true })
  detail?: ImageDetail | null;

  /** The name, as the AI SDK calls it. @example "lisbon.png" */
  @OptionalField()
  @MaxLength(LONGEST_NAME)
  @IsString()
  filename?: string;

  /** The media type, as the AI SDK calls it: `image/…` makes a `file` an image. What the content says counts more. @example "image/png" */
  @OptionalField()
  @MaxLength(255)
  @IsString()
  mediaType?: string;
}

function isFile(type: unknown): boolean {
  return type === 'image' || type === 'file';
}
