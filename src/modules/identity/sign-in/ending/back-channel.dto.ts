import { IsString, MaxLength } from 'class-validator';
import { OptionalField } from '../../../../common/validation/fields';
import { LanguageBodyDto } from '../../../../common/validation/language-body.dto';

/** What a provider sends. */
export class LogoutTokenDto extends LanguageBodyDto {
  /** The signed token. @example "eyJhbGciOi…" */
  @OptionalField()
  @IsString()
  @MaxLength(12_000)
  logout_token?: string;
}
