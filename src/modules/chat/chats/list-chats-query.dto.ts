import { IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { MaxLength, NotBlank, OptionalField } from '../../../common/validation/fields';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';

/** Filters the list of the caller's conversations. */
export class ListChatsQueryDto extends ListQueryDto {
  /** Adds up to 50 of the newest messages of each conversation. */
  @SwitchParameter()
  @IsBoolean()
  include_messages: boolean = false;

  /**
   * Text to find in titles and messages, case-insensitive, such as `lisbon`, earlier versions of messages included. The
   * searches of one user run one at a time; if more than sixty are waiting, the service returns 429.
   */
  @OptionalField()
  @IsString()
  @MaxLength(200)
  q?: string;

  /** `true`: only archived conversations; `false`: only the others; absent: both. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  is_archived?: boolean;

  /** `true`: only pinned conversations; `false`: only the others; absent: both. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  is_pinned?: boolean;

  /** Only conversations with exactly this label, such as `travel`. */
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
