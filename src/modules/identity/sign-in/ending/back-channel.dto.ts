import { IsString } from 'class-validator';
import { MaxLength, OptionalField } from '../../../../common/validation/fields';
import { LanguageBodyDto } from '../../../../common/validation/language-body.dto';

const LONGEST_TOKEN = 12_000;

/** What a provider sends, for the documentation: `logoutTokenIn` reads it, because no other field is a reason to refuse a token. */
export class LogoutTokenDto extends LanguageBodyDto {
  /** The signed token. @example "eyJhbGciOi…" */
  @OptionalField()
  @IsString()
  @MaxLength(LONGEST_TOKEN)
  logout_token?: string;
}

/** The token of a body; an empty text, which is none, where it is not one text. */
export function logoutTokenIn(body: unknown): string {
  const token = typeof body === 'object' && body !== null && 'logout_token' in body ? body.logout_token : '';
  return typeof token === 'string' && token.length <= LONGEST_TOKEN ? token : '';
}
