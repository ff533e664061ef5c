import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { CodeField } from '../../auth/auth.api';
import { PasswordField } from '../../user/user.api';
import { ChallengeField } from '../sign-in/sign-in.dto';

/**
 * The provider to link, and proof of the user's presence: a password, a code of purpose `login`, or a sign-in within
 * the last ten minutes.
 */
@ObjectExample({
  slug: 'company',
  return_to: '/console',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  password: 'correct horse battery staple',
})
export class StartIdentityDto extends LanguageBodyDto {
  /** Slug of the provider. @example "company" */
  @Matches(/^[a-z0-9-]{1,32}$/)
  @IsString()
  @ApiProperty({ maxLength: 32 })
  slug: string;

  /** Where the browser returns to: `/console`, or one of OIDC_RETURN_URLS. @example "/console" */
  @OptionalField()
  @IsString()
  @MaxLength(1_800)
  @ApiPropertyOptional({ default: CONSOLE_PAGE })
  return_to?: string;

  @ChallengeField()
  code_challenge: string;

  /** The account's password. */
  @applyDecorators(OptionalField(), PasswordField(), ApiPropertyOptional())
  password?: string;

  /** A code of purpose `login`, instead of the password. */
  @applyDecorators(OptionalField(), CodeField(), ApiPropertyOptional())
  verification_code?: string;
}

/** The next step for the browser. */
export class StartedIdentityDto {
  /** The provider's authorization page. @example "https://login.example.com/authorize?…" */
  authorization_url: string;
}
