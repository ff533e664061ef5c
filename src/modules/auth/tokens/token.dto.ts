import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiExtraModels, ApiPropertyOptional, ApiResponse, getSchemaPath, OmitType } from '@nestjs/swagger';
import { IsIn, IsString, ValidateIf } from 'class-validator';
import { AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { MaxLength, NotBlank, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';

const SESSIONS = ['cookie'] as const;

const LONGEST_REFRESH_TOKEN = 512;

/** The body of a route that issues tokens. */
export class SessionBodyDto extends LanguageBodyDto {
  /** `cookie`: returns the refresh token in a cookie instead of the body. For pages of this service. */
  @OptionalField()
  @IsIn(SESSIONS)
  session?: (typeof SESSIONS)[number];
}

/** The refresh token to exchange for a new pair. */
@ObjectExample({ refresh_token: 'q3kR…' })
export class RefreshTokenDto extends SessionBodyDto {
  /**
   * The refresh token of the last pair, which can be used once. Not needed with `session`, which reads it from the
   * cookie.
   */
  @applyDecorators(
    ValidateIf((body: RefreshTokenDto) => body.session === undefined || body.refresh_token !== undefined),
    IsString(),
    MaxLength(LONGEST_REFRESH_TOKEN),
    NotBlank(),
    ApiPropertyOptional({ example: 'q3kR…', maxLength: LONGEST_REFRESH_TOKEN }),
  )
  refresh_token?: string;
}

/** Response to a login (specification §2.1). */
export class TokenPairDto {
  /** JWT for the header `Authorization: Bearer <access_token>`. @example "eyJhbGciOi…" */
  access_token: string;

  /** For POST /auth/refresh_token. It can be used once. @example "q3kR…" */
  refresh_token: string;

  /** Always `bearer`. @example "bearer" */
  token_type: 'bearer';

  /** Seconds that the access token is valid. @example 3600 */
  expires_in: number;

  /** Seconds that the refresh token is valid. @example 2592000 */
  refresh_expires_in: number;
}

/** Response to a login with `session: "cookie"`. The refresh token is in the cookie. */
export class CookieSessionDto extends OmitType(TokenPairDto, ['refresh_token']) {}

/** The session has ended. */
export class LoggedOutDto extends AcknowledgementDto {
  /**
   * Page where the browser also ends the provider’s session. Absent if there is none.
   * @example "https://login.example.com/logout?client_id=chat"
   */
  logout_url?: string;
}

/** Documents the successful response of a route with a `SessionBodyDto`. */
export const ApiTokens = (status = HttpStatus.OK): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(TokenPairDto, CookieSessionDto),
    ApiResponse({
      status,
      schema: { anyOf: [TokenPairDto, CookieSessionDto].map((dto) => ({ $ref: getSchemaPath(dto) })) },
    }),
  );
