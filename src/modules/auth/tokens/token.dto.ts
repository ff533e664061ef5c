import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiExtraModels, ApiPropertyOptional, ApiResponse, getSchemaPath, OmitType } from '@nestjs/swagger';
import { IsIn, IsString, ValidateIf } from 'class-validator';
import { AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { MaxLength, NotBlank, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';

const SESSIONS = ['cookie'] as const;

const LONGEST_REFRESH_TOKEN = 512;

/** The body of a route that gives out tokens. */
export class SessionBodyDto extends LanguageBodyDto {
  /** `cookie`, for pages of this service: the refresh token comes in a cookie, not in the body. */
  @OptionalField()
  @IsIn(SESSIONS)
  session?: (typeof SESSIONS)[number];
}

/** The refresh token to exchange for a new pair. */
@ObjectExample({ refresh_token: 'q3kR…' })
export class RefreshTokenDto extends SessionBodyDto {
  /** As it came with the last pair; usable once. Absent with `session`: then it is in the cookie. */
  @applyDecorators(
    ValidateIf((body: RefreshTokenDto) => body.session === undefined || body.refresh_token !== undefined),
    IsString(),
    MaxLength(LONGEST_REFRESH_TOKEN),
    NotBlank(),
    ApiPropertyOptional({ example: 'q3kR…', maxLength: LONGEST_REFRESH_TOKEN }),
  )
  refresh_token?: string;
}

/** What a login gives (specification §2.1). */
export class TokenPairDto {
  /** JWT for the header `Authorization: Bearer <access_token>`. @example "eyJhbGciOi…" */
  access_token: string;

  /** For POST /auth/refresh_token, once. @example "q3kR…" */
  refresh_token: string;

  /** Always `bearer`. @example "bearer" */
  token_type: 'bearer';

  /** Seconds that the access token is valid. @example 3600 */
  expires_in: number;

  /** Seconds that the refresh token is valid. @example 2592000 */
  refresh_expires_in: number;
}

/** What a login with `session: "cookie"` gives: the refresh token is in the cookie. */
export class CookieSessionDto extends OmitType(TokenPairDto, ['refresh_token']) {}

/** The session has ended. */
export class LoggedOutDto extends AcknowledgementDto {
  /** Where the browser ends the provider’s session too; absent: nowhere. @example "https://login.example.com/logout?client_id=chat" */
  logout_url?: string;
}

/** Documents the success of a route with a `SessionBodyDto`. */
export const ApiTokens = (status = HttpStatus.OK): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(TokenPairDto, CookieSessionDto),
    ApiResponse({
      status,
      schema: { anyOf: [TokenPairDto, CookieSessionDto].map((dto) => ({ $ref: getSchemaPath(dto) })) },
    }),
  );
