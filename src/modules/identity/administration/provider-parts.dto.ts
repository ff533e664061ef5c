import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, MaxLength, NoDuplicates, NotBlank, OptionalField } from '../../../common/validation/fields';

/** Characters of the longest name or value that a provider sends. */
export const LONGEST_VALUE = 255;

/** Most values in one list. */
export const MOST_VALUES = 200;

/** The name of a claim, or a path to it. */
export const PathField = (): PropertyDecorator =>
  applyDecorators(IsString(), NotBlank(), CharacterCount(1, LONGEST_VALUE));

/** Where the claims are: by name, or by a path with dots into an object. Absent ones keep what they have. */
export class ClaimPathsDto {
  /** The claim that has the address. @example "email" */
  @OptionalField()
  @PathField()
  email?: string;

  /** The claim that has the name. @example "name" */
  @OptionalField()
  @PathField()
  name?: string;

  /** The claim that has the groups. @example "realm_access.roles" */
  @OptionalField()
  @PathField()
  groups?: string;
}

/** What somebody gets in whose groups the value is. */
export class ProviderMappingDto {
  /** Compared exactly. @example "staff" */
  @CharacterCount(1, LONGEST_VALUE)
  @IsString()
  value: string;

  /** Makes an administrator of the person. @example "admin" */
  @OptionalField()
  @IsIn(['admin'])
  user_type?: 'admin';

  /** Without an end as long as it is mapped. @example "yearly" */
  @OptionalField()
  @IsIn(['monthly', 'yearly'])
  membership_type?: 'monthly' | 'yearly';

  /** Id of a group. @example 3 */
  @OptionalField()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  group?: number;
}

/** Which access tokens of the provider open `/openai/v1` for their users. */
export class AcceptedTokensDto {
  /** The audience that they must name; not the client id, which ID tokens name. @example "https://chat.example.com" */
  @NotBlank()
  @CharacterCount(1, LONGEST_VALUE)
  @IsString()
  audience: string;

  /** The programs that they may be for (`azp` or `client_id`). @example ["cli"] */
  @NoDuplicates()
  @IsString({ each: true })
  @MaxLength(LONGEST_VALUE, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_VALUES)
  @IsArray()
  @ApiProperty({ maxItems: MOST_VALUES })
  authorized_parties: string[];
}
