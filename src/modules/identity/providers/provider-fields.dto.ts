import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ObjectList } from '../../../common/validation/object-list';
import { CLAIM_SOURCES, JIT_RULES, LOGOUT_RULES, OVERAGE_RULES } from './identity-provider.entity';
import {
  AcceptedTokensDto,
  ClaimPathsDto,
  LONGEST_VALUE,
  MOST_VALUES,
  PathField,
  ProviderMappingDto,
} from './provider-parts.dto';
import { isIssuer } from './provider-rules';

const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;
const SLUG = /^[a-z0-9-]{1,32}$/;

const ValuesField = (): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    NoDuplicates(),
    IsString({ each: true }),
    MaxLength(LONGEST_VALUE, { each: true }),
    FieldRule('blank', (value) => Array.isArray(value) && value.every((each) => each !== '')),
    ArrayMaxSize(MOST_VALUES),
    IsArray(),
    ApiPropertyOptional({ type: 'array', items: { type: 'string', maxLength: LONGEST_VALUE }, maxItems: MOST_VALUES }),
  );

const lowerCased = Transform(({ value }: { value: unknown }) =>
  Array.isArray(value)
    ? value.map((each: unknown) => (typeof each === 'string' ? each.trim().toLowerCase() : each))
    : value,
);

const IssuerField = (): PropertyDecorator =>
  applyDecorators(
    FieldRule('invalid_url', isIssuer),
    MaxLength(LONGEST_VALUE),
    IsString(),
    ApiProperty({ maxLength: LONGEST_VALUE }),
  );

const NameField = (): PropertyDecorator => applyDecorators(NotBlank(), CharacterCount(1, 100), IsString());

const ClientIdField = (): PropertyDecorator =>
  applyDecorators(NotBlank(), CharacterCount(1, LONGEST_VALUE), IsString());

/** The fields that both creating and updating accept. */
export class IdentityProviderFieldsDto extends LanguageBodyDto {
  /**
   * Never returned. Null for a public client. Required again if the issuer changes.
   * @example "a-secret-of-the-provider"
   */
  @NullableField()
  @Matches(/^[\x20-\x7e]{1,4096}$/)
  @MaxLength(4_096)
  @IsString()
  client_secret?: string | null;

  /** Requested scopes, separated by spaces. @example "openid email profile" */
  @OptionalField()
  @FieldRule('invalid_format', (value) => typeof value === 'string' && value.split(' ').includes('openid'))
  @Matches(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/)
  @MaxLength(500)
  @IsString()
  scopes?: string;

  /** Names of the claims, or dotted paths to them. */
  @OptionalField()
  @ValidateNested()
  @FieldRule('wrong_type', (value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  @Type(() => ClaimPathsDto)
  claims?: ClaimPathsDto;

  /** Source of the claims. @example "id_token" */
  @OptionalField()
  @IsIn(CLAIM_SOURCES)
  claim_source?: (typeof CLAIM_SOURCES)[number];

  /**
   * Whether addresses count as verified if the provider does not say so, and link accounts at once. Use it only for
   * providers whose users cannot choose their addresses.
   * @example false
   */
  @OptionalField()
  @IsBoolean()
  email_trusted?: boolean;

  /** Whether a first sign-in creates an account. @example "domains" */
  @OptionalField()
  @IsIn(JIT_RULES)
  jit?: (typeof JIT_RULES)[number];

  /** Email domains for `jit: domains`. @example ["example.com"] */
  @lowerCased
  @FieldRule(
    'invalid_format',
    (value) => value === undefined || (Array.isArray(value) && value.every((each) => DOMAIN.test(String(each)))),
  )
  @ValuesField()
  allowed_domains?: string[];

  /** The user needs one of these groups at each sign-in. @example ["staff"] */
  @ValuesField()
  required_groups?: string[];

  /**
   * Rights that users get for their groups at the provider.
   * @example [{ "value": "staff", "membership_type": "yearly" }]
   */
  @OptionalField()
  @ObjectList(() => ProviderMappingDto, MOST_VALUES)
  mappings?: ProviderMappingDto[];

  /** Handling of a sign-in without groups, which the provider omits if there are too many. @example "refuse" */
  @OptionalField()
  @IsIn(OVERAGE_RULES)
  groups_overage?: (typeof OVERAGE_RULES)[number];

  /** `rp_initiated`: POST /auth/logout also returns the page that ends the provider's session. @example "none" */
  @OptionalField()
  @IsIn(LOGOUT_RULES)
  logout?: (typeof LOGOUT_RULES)[number];

  /** The claim that matches `externalId` in SCIM. @example "sub" */
  @OptionalField()
  @PathField()
  scim_match?: string;

  /**
   * Session lifetime in seconds, 3600 to 31536000. For administrators by a mapping it is at most 86400. Null for
   * 604800.
   * @example 604800
   */
  @NullableField()
  @IsInt()
  @Min(3_600)
  @Max(31_536_000)
  session_max_age?: number | null;

  /**
   * API keys of users who have no other way to sign in expire this many days after the last sign-in (401
   * `API_KEY_EXPIRED`). They work again after the next sign-in. Null if they do not expire.
   * @example 30
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(365)
  key_days?: number | null;

  /** The provider's access tokens that `/openai/v1` accepts. Null for none. */
  @NullableField()
  @ValidateNested()
  @FieldRule('wrong_type', (value) => typeof value === 'object' && !Array.isArray(value))
  @Type(() => AcceptedTokensDto)
  accept_tokens?: AcceptedTokensDto | null;

  /** Whether users can sign in with the provider. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new identity provider. */
@ObjectExample({
  slug: 'company',
  name: 'Example Inc.',
  issuer: 'https://login.example.com',
  client_id: 'chat',
  client_secret: 'a-secret-of-the-provider',
})
export class CreateIdentityProviderDto extends IdentityProviderFieldsDto {
  /** Identifies the provider in URLs. Immutable. @example "company" */
  @Matches(SLUG)
  @IsString()
  @ApiProperty({ maxLength: 32 })
  slug: string;

  /** Label of the sign-in button. @example "Example Inc." */
  @NameField()
  name: string;

  /** Exactly as in the provider's discovery document. @example "https://login.example.com" */
  @IssuerField()
  issuer: string;

  /** Client id of this service at the provider. @example "chat" */
  @ClientIdField()
  client_id: string;
}

/** Changes to a provider. Absent fields stay unchanged. */
export class UpdateIdentityProviderDto extends IdentityProviderFieldsDto {
  /** Label of the sign-in button. @example "Example Inc." */
  @OptionalField()
  @NameField()
  name?: string;

  /** Cannot change while accounts have identities of the provider. @example "https://login.example.com" */
  @OptionalField()
  @IssuerField()
  issuer?: string;

  /** Client id of this service at the provider. @example "chat" */
  @OptionalField()
  @ClientIdField()
  client_id?: string;

  /**
   * Ends the sessions that were started with the provider. Allowed only while the provider is switched off.
   * @example false
   */
  @OptionalField()
  @IsBoolean()
  end_sessions?: boolean;
}
