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
import { CLAIM_SOURCES, JIT_RULES, LOGOUT_RULES, OVERAGE_RULES } from '../providers/identity-provider.entity';
import { isIssuer } from '../providers/provider-rules';
import {
  AcceptedTokensDto,
  ClaimPathsDto,
  LONGEST_VALUE,
  MOST_VALUES,
  PathField,
  ProviderMappingDto,
} from './provider-parts.dto';

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

/** What can be set in any case. */
export class IdentityProviderFieldsDto extends LanguageBodyDto {
  /** Never shown again; null: a public client. Another issuer needs it again. @example "a-secret-of-the-provider" */
  @NullableField()
  @Matches(/^[\x20-\x7e]{1,4096}$/)
  @MaxLength(4_096)
  @IsString()
  client_secret?: string | null;

  /** What is asked for, separated by blanks. @example "openid email profile" */
  @OptionalField()
  @FieldRule('invalid_format', (value) => typeof value === 'string' && value.split(' ').includes('openid'))
  @Matches(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/)
  @MaxLength(500)
  @IsString()
  scopes?: string;

  /** Where the claims are: by name, or by a path with dots into an object. */
  @OptionalField()
  @ValidateNested()
  @FieldRule('wrong_type', (value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  @Type(() => ClaimPathsDto)
  claims?: ClaimPathsDto;

  /** Where the claims are read from. @example "id_token" */
  @OptionalField()
  @IsIn(CLAIM_SOURCES)
  claim_source?: (typeof CLAIM_SOURCES)[number];

  /**
   * Whether its addresses count as verified where it does not say, and link accounts at once. Only for a provider whose people
   * cannot choose their addresses.
   * @example false
   */
  @OptionalField()
  @IsBoolean()
  email_trusted?: boolean;

  /** For whom a first sign-in makes an account. @example "domains" */
  @OptionalField()
  @IsIn(JIT_RULES)
  jit?: (typeof JIT_RULES)[number];

  /** For `jit: domains`. @example ["example.com"] */
  @lowerCased
  @FieldRule(
    'invalid_format',
    (value) => value === undefined || (Array.isArray(value) && value.every((each) => DOMAIN.test(String(each)))),
  )
  @ValuesField()
  allowed_domains?: string[];

  /** One of them suffices; asked at each sign-in. @example ["staff"] */
  @ValuesField()
  required_groups?: string[];

  /** What somebody gets by the groups of the provider. @example [{ "value": "staff", "membership_type": "yearly" }] */
  @OptionalField()
  @ObjectList(() => ProviderMappingDto, MOST_VALUES)
  mappings?: ProviderMappingDto[];

  /** When the provider leaves the groups out because there are too many. @example "refuse" */
  @OptionalField()
  @IsIn(OVERAGE_RULES)
  groups_overage?: (typeof OVERAGE_RULES)[number];

  /** `rp_initiated`: POST /auth/logout answers where the browser ends the provider's session too. @example "none" */
  @OptionalField()
  @IsIn(LOGOUT_RULES)
  logout?: (typeof LOGOUT_RULES)[number];

  /** The claim that SCIM calls `externalId`. @example "sub" */
  @OptionalField()
  @PathField()
  scim_match?: string;

  /** Seconds that a session lives; 3600 to 31536000; for administrators by a mapping 86400 at most. Null: 604800. @example 604800 */
  @NullableField()
  @IsInt()
  @Min(3_600)
  @Max(31_536_000)
  session_max_age?: number | null;

  /**
   * Days after the last sign-in, after which API keys stop (401 `API_KEY_EXPIRED`) whose owner has no other way to sign in. The next
   * sign-in lets them work again. Null: they do not stop.
   * @example 30
   */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(365)
  key_days?: number | null;

  /** Null: no token of the provider opens anything. */
  @NullableField()
  @ValidateNested()
  @FieldRule('wrong_type', (value) => typeof value === 'object' && !Array.isArray(value))
  @Type(() => AcceptedTokensDto)
  accept_tokens?: AcceptedTokensDto | null;

  /** False: nobody can sign in with it. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;
}

/** A new provider of identities. */
@ObjectExample({
  slug: 'company',
  name: 'Example Inc.',
  issuer: 'https://login.example.com',
  client_id: 'chat',
  client_secret: 'a-secret-of-the-provider',
})
export class CreateIdentityProviderDto extends IdentityProviderFieldsDto {
  /** Its name in addresses; never changed. @example "company" */
  @Matches(SLUG)
  @IsString()
  @ApiProperty({ maxLength: 32 })
  slug: string;

  /** What people read on the button. @example "Example Inc." */
  @NameField()
  name: string;

  /** As the provider's document writes it. @example "https://login.example.com" */
  @IssuerField()
  issuer: string;

  /** What the provider calls this service. @example "chat" */
  @ClientIdField()
  client_id: string;
}

/** Changes of a provider; absent fields stay as they are. */
export class UpdateIdentityProviderDto extends IdentityProviderFieldsDto {
  /** What people read on the button. @example "Example Inc." */
  @OptionalField()
  @NameField()
  name?: string;

  /** Never of a provider with identities. @example "https://login.example.com" */
  @OptionalField()
  @IssuerField()
  issuer?: string;

  /** What the provider calls this service. @example "chat" */
  @OptionalField()
  @ClientIdField()
  client_id?: string;

  /** True: the sessions that were begun with it end. Only with a provider that is switched off. @example false */
  @OptionalField()
  @IsBoolean()
  end_sessions?: boolean;
}
