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
