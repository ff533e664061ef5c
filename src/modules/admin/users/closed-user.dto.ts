import { IsDefined, IsString } from 'class-validator';
import { MaxLength } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** A closed account. */
export class ClosedUserDto {
  /** Id of the closed account. @example 42 */
  id: number;

  /** When the content will be erased. @example "2026-08-07T12:00:00.000Z" */
  erase_at: string;
}

/** The account to erase. */
export class EraseUserDto extends LanguageBodyDto {
  /** The username of the account, as a confirmation. @example "ada" */
  @IsDefined()
  @MaxLength(64)
  @IsString()
  username: string;
}
