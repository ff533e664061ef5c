import { IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { MaxLength, NotBlank, OptionalField } from '../../../common/validation/fields';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';

/** Which of the caller's conversations to list. */
export class ListChatsQueryDto extends ListQueryDto {
  /** Adds the newest 50 messages of each conversation. */
  @SwitchParameter()
  @IsBoolean()
  include_messages: boolean = false;

  /**
   * Text to find in titles and messages, in any case, such as `lisbon`. A user's searches run one at a time; with more than
   * sixty waiting, the next one gets 429.
   */
  @OptionalField()
  @IsString()
  @MaxLength(200)
  q?: string;

  /** Only archived ones, or only the others; absent: both. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  is_archived?: boolean;

  /** Only pinned ones, or only the others; absent: both. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  is_pinned?: boolean;

  /** Only conversations with this label, letter by letter, such as `travel`. */
  @OptionalField()
  @NotBlank()
  @IsString()
  @MaxLength(50)
  tag?: string;

  /** Only conversations with this agent. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  agent_id?: number;
}
