import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, MaxLength, NoDuplicates, NotBlank, OptionalField } from '../../../common/validation/fields';

/** Most characters of a name or value from a provider. */
export const LONGEST_VALUE = 255;

/** Most values in one list. */
export const MOST_VALUES = 200;

/** The name of a claim, or a path to it. */
export const PathField = (): PropertyDecorator =>
  applyDecorators(IsString(), NotBlank(), CharacterCount(1, LONGEST_VALUE));

/** Names of the claims, or dotted paths to them. Absent ones stay unchanged. */
export class ClaimPathsDto {
  /** Claim with the email address. @example "email" */
  @OptionalField()
  @PathField()
  email?: string;

  /** Claim with the name. @example "name" */
  @OptionalField()
  @PathField()
  name?: string;

  /** Claim with the groups. @example "realm_access.roles" */
  @OptionalField()
  @PathField()
  groups?: string;
}

/** The rights of users whose groups contain the value. */
export class ProviderMappingDto {
  /** The group's value, compared exactly. @example "staff" */
  @CharacterCount(1, LONGEST_VALUE)
  @IsString()
  value: string;

  /** Makes the user an administrator. @example "admin" */
  @OptionalField()
  @IsIn(['admin'])
  user_type?: 'admin';

  /** The membership lasts as long as the mapping applies. @example "yearly" */
  @OptionalField()
  @IsIn(['monthly', 'yearly'])
  membership_type?: 'monthly' | 'yearly';

  /** Id of the group that the user joins. @example 3 */
  @OptionalField()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  group?: number;
}

/** The provider's access tokens that `/openai/v1` accepts. */
export class AcceptedTokensDto {
  /**
   * Required audience of the tokens. It cannot be the client id, which is the audience of ID tokens.
   * @example "https://chat.example.com"
   */
  @NotBlank()
  @CharacterCount(1, LONGEST_VALUE)
  @IsString()
  audience: string;

  /** Clients whose tokens are accepted (`azp` or `client_id`). @example ["cli"] */
  @NoDuplicates()
  @IsString({ each: true })
  @MaxLength(LONGEST_VALUE, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_VALUES)
  @IsArray()
  @ApiProperty({ maxItems: MOST_VALUES })
  authorized_parties: string[];
}
