import { IsString } from 'class-validator';
import { MaxLength, OptionalField } from '../../../../common/validation/fields';
import { LanguageBodyDto } from '../../../../common/validation/language-body.dto';

const LONGEST_TOKEN = 12_000;

/**
 * The body that a provider sends, for the API document. `logoutTokenIn` reads it, because unknown fields must not cause
 * a refusal.
 */
export class LogoutTokenDto extends LanguageBodyDto {
  /** The signed token. @example "eyJhbGciOi…" */
  @OptionalField()
  @IsString()
  @MaxLength(LONGEST_TOKEN)
  logout_token?: string;
}

/** The token of a body. An empty string, which is no valid token, if the field is not a single string. */
export function readLogoutToken(body: unknown): string {
  const token = typeof body === 'object' && body !== null && 'logout_token' in body ? body.logout_token : '';
  return typeof token === 'string' && token.length <= LONGEST_TOKEN ? token : '';
}
