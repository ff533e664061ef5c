import { ArrayMaxSize, IsArray, IsBoolean, IsDefined, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { hasVisible } from '../../../common/text/visible';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** The fields to change; at least one. */
export class UpdateChatDto extends LanguageBodyDto {
  /** 1 to 200 characters. @example Trip to Lisbon */
  @OptionalField()
  @NotBlank()
  @CharacterCount(1, 200)
  @IsString()
  title?: string;

  /** Whether the client shows the conversation at the top. @example true */
  @OptionalField()
  @IsBoolean()
  is_pinned?: boolean;

  /** Whether the conversation is archived. @example false */
  @OptionalField()
  @IsBoolean()
  is_archived?: boolean;

  /** The user's own labels: up to 20 different ones of 1 to 50 characters. @example ["travel"] */
  @OptionalField()
  @FieldRule('blank', (tags) => Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && hasVisible(tag)))
  @MaxLength(50, { each: true })
  @IsString({ each: true })
  @NoDuplicates()
  @ArrayMaxSize(20)
  @IsArray()
  tags?: string[];

  /** The collections that replies search, besides those of the agent; up to 10 that you may read. @example [] */
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(10)
  @NoDuplicates()
  @IsInt({ each: true })
  @Min(1, { each: true })
  knowledge?: number[];
}

/** Options for reading a conversation. */
export class ReadChatQueryDto {
  /** `all` also returns the other lines: earlier wordings, replaced replies and their follow-up messages. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';
}

/** The position up to which a conversation was read. */
export class MarkReadDto extends LanguageBodyDto {
  /** The last message that the user has read. @example 2 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  message_id: number;
}

/** The stored position up to which a conversation is read. */
export class ReadPlaceDto {
  /** The conversation. @example 1 */
  chat_id: number;

  /** The newest message that the user has read on any device. @example 2 */
  message_id: number;
}

/** Selects the line to show. */
export class SwitchLineDto extends LanguageBodyDto {
  /** A message on that line, usually another version of a visible message. @example 2 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  message_id: number;
}
