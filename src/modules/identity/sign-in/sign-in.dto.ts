import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { MaxLength, NotBlank, OptionalField } from '../../../common/validation/fields';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { CodeField, CookieSessionDto, SessionBodyDto, TokenPairDto } from '../../auth/auth.api';
import { LinkedIdentityDto } from '../identities/identity.dto';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** The page's challenge (RFC 7636, S256). */
export const ChallengeField = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    Matches(/^[\w-]{43}$/),
    ApiProperty({
      type: String,
      minLength: 43,
      maxLength: 43,
      description: 'S256 challenge of a verifier that the page keeps (RFC 7636).',
      example: CHALLENGE,
    }),
  );

const VerifierField = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(128),
    NotBlank(),
    ApiProperty({
      type: String,
      maxLength: 128,
      description: 'Verifier of the challenge that started the sign-in.',
      example: VERIFIER,
    }),
  );

const TokenField = (description: string): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(128),
    NotBlank(),
    ApiProperty({ type: String, maxLength: 128, description, example: 'wJ1r…' }),
  );

/** Parameters to start a sign-in. */
export class StartQueryDto {
  @ChallengeField()
  code_challenge: string;

  /** Where the browser returns to: `/console`, or one of OIDC_RETURN_URLS. */
  @OptionalField()
  @IsString()
  @MaxLength(1_800)
  @ApiPropertyOptional({ type: String, maxLength: 1_800, default: CONSOLE_PAGE })
  return_to?: string;
}

/** Exchanges a login code for tokens. */
@ObjectExample({ login_code: 'wJ1r…', code_verifier: VERIFIER })
export class ExchangeDto extends SessionBodyDto {
  @TokenField('The parameter `login_code` of the address that the browser returned to.')
  login_code: string;

  @VerifierField()
  code_verifier: string;
}

/** Proves an address to complete a link. */
@ObjectExample({ link_token: 'Jq0R…', verification_code: '123456', code_verifier: VERIFIER })
export class LinkDto extends SessionBodyDto {
  @TokenField('The token from the details of 409 `IDENTITY_LINK_REQUIRED`.')
  link_token: string;

  @CodeField()
  verification_code: string;

  @VerifierField()
  code_verifier: string;
}

/** A provider that users can sign in with. */
export class SignInProviderDto {
  /** Identifies the provider in URLs. @example "company" */
  slug: string;

  /** Display name. @example "Example Inc." */
  name: string;
}

/** The ways to sign in. */
export class SignInProvidersDto {
  /** Which users may sign in with a password or a verification code. @example "everyone" */
  password_login: 'everyone' | 'admins' | 'off';

  /** Providers to show a button for. */
  providers: SignInProviderDto[];
}

/** Documents the response to the exchange of a login code. */
export const ApiExchanged = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(TokenPairDto, CookieSessionDto, LinkedIdentityDto),
    ApiOkResponse({
      schema: {
        anyOf: [TokenPairDto, CookieSessionDto, LinkedIdentityDto].map((dto) => ({ $ref: getSchemaPath(dto) })),
      },
    }),
  );
