import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsString, Max, Min, ValidateNested } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { ReadTextQueryDto } from '../collections/entry.dto';
import { StoreAccessDto } from '../collections/store.dto';

/** Filters of the collections of all users. */
export class ListAllKnowledgeQueryDto extends PageQueryDto {
  /** A part of the name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(100)
  q?: string;

  /** Only collections of this user; 0: those of the service. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  owner_id?: number;
}

/** Changes by an administrator; absent fields stay unchanged. */
@ObjectExample({ trusted: true })
export class AdminUpdateKnowledgeDto extends LanguageBodyDto {
  /** Id of the user who owns it from now on; null: the service. @example 42 */
  @NullableField()
  @IsInt()
  @Min(1)
  @ApiPropertyOptional({ type: Number, nullable: true })
  owner_id?: number | null;

  /** Replaces the present access as a whole. */
  @OptionalField()
  @FieldRule('wrong_type', (value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  @ValidateNested()
  @Type(() => StoreAccessDto)
  access?: StoreAccessDto;

  /** Whether you vouch for the files: their text is no untrusted content, and only administrators add files. @example true */
  @OptionalField()
  @IsBoolean()
  trusted?: boolean;

  /** Why you gain access to another user's collection; written to the audit log. @example "Left the company." */
  @OptionalField()
  @IsString()
  @CharacterCount(3, 500)
  @NotBlank()
  reason?: string;
}

/** The reason for reading a text, and the part to read. */
export class AdminReadTextQueryDto extends ReadTextQueryDto {
  /** Written to the audit log before anything is shown. @example "Complaint 4711: check for abuse." */
  @NotBlank()
  @CharacterCount(3, 500)
  @IsString()
  reason: string;
}
