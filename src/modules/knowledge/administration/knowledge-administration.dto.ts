import { ApiPropertyOptional, OmitType, PickType } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NotBlank, NullableField, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { ReadTextQueryDto } from '../collections/entry.dto';
import { KnowledgeFieldsDto, ListKnowledgeQueryDto } from '../collections/store.dto';

/** Filters of the collections of all users. */
export class ListAllKnowledgeQueryDto extends OmitType(ListKnowledgeQueryDto, ['role']) {
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
export class AdminUpdateKnowledgeDto extends PickType(KnowledgeFieldsDto, ['access', 'lang']) {
  /** Id of the user who owns it from now on; null: the service. @example 42 */
  @NullableField()
  @IsInt()
  @Min(1)
  @ApiPropertyOptional({ type: Number, nullable: true })
  owner_id?: number | null;

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
