import { IsIn, IsString } from 'class-validator';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { CharacterCount, NotBlank, OptionalField } from '../../../common/validation/fields';
import { ACTION_STATES, type ActionState } from '../../generation/generation.api';

/** Filters a list of actions. */
export class ListActionsQueryDto extends ListQueryDto {
  /** The state of the actions. Default: `open`. */
  @OptionalField()
  @IsIn(ACTION_STATES)
  state?: ActionState;
}

/** Filters a paginated list of actions. */
export class PageActionsQueryDto extends PageQueryDto {
  /** The state of the actions. Default: `open`. */
  @OptionalField()
  @IsIn(ACTION_STATES)
  state?: ActionState;
}

/** Filters the actions of all users, for administrators. */
export class PageAllActionsQueryDto extends PageActionsQueryDto {
  /**
   * A reason to show the arguments, accepted if the operator has set `ADMIN_CONTENT_ACCESS=true`. The reason is written
   * to the audit log before any content is shown.
   */
  @OptionalField()
  @NotBlank()
  @CharacterCount(3, 500)
  @IsString()
  reason?: string;
}
