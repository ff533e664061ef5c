import { IsString, MaxLength } from 'class-validator';
import { NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** The refresh token to exchange for a new pair. */
export class RefreshTokenDto extends LanguageBodyDto {
  /** As it came with the last pair; usable once. @example "q3kR…" */
  @IsString()
  @MaxLength(512)
  @NotBlank()
  refresh_token: string;
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
