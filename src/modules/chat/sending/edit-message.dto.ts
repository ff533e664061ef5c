import { IsDefined, IsString } from 'class-validator';
import { CharacterCount, NotBlank } from '../../../common/validation/fields';
import { ReplyOptionsDto } from './reply-options.dto';

/** Another wording of a message. */
export class EditMessageDto extends ReplyOptionsDto {
  /** 1 to 32,000 characters, not only white space; stored unchanged. @example "What should I see in Porto?" */
  @IsDefined()
  @NotBlank()
  @CharacterCount(1, 32_000)
  @IsString()
  content: string;
}
