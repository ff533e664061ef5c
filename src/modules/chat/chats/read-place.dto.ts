import { IsDefined, IsInt, Max, Min } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** How far a conversation was read. */
export class MarkReadDto extends LanguageBodyDto {
  /** The last message that was seen. @example 2 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  message_id: number;
}

/** How far a conversation is read now. */
export class ReadPlaceDto {
  /** The conversation. @example 1 */
  chat_id: number;

  /** The newest message that was seen, on any device. @example 2 */
  message_id: number;
}
