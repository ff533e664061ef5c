import { ArrayMaxSize, IsArray, IsBoolean, IsString } from 'class-validator';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** What to change; at least one field. */
export class UpdateChatDto extends LanguageBodyDto {
  /** 1 to 200 characters. @example Trip to Lisbon */
  @OptionalField()
  @NotBlank()
  @CharacterCount(1, 200)
  @IsString()
  title?: string;

  /** Whether the client shows it on top. @example true */
  @OptionalField()
  @IsBoolean()
  is_pinned?: boolean;

  /** Whether it is put away without being deleted. @example false */
  @OptionalField()
  @IsBoolean()
  is_archived?: boolean;

  /** The user's own labels: up to 20 different ones of 1 to 50 characters. @example ["travel"] */
  @OptionalField()
  @FieldRule(
    'blank',
    (tags) => Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && tag.trim() !== ''),
  )
  @MaxLength(50, { each: true })
  @IsString({ each: true })
  @NoDuplicates()
  @ArrayMaxSize(20)
  @IsArray()
  tags?: string[];
}
