import { IsIn, IsString } from 'class-validator';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { CharacterCount, NotBlank, OptionalField } from '../../../common/validation/fields';
import { ACTION_STATES, type ActionState } from '../../generation/generation.api';

/** Which actions. */
export class ListActionsQueryDto extends ListQueryDto {
  /** How they stand. Default: `open`. */
  @OptionalField()
  @IsIn(ACTION_STATES)
  state?: ActionState;
}

/** Which actions, by pages. */
export class PageActionsQueryDto extends PageQueryDto {
  /** How they stand. Default: `open`. */
  @OptionalField()
  @IsIn(ACTION_STATES)
  state?: ActionState;
}

/** Which actions of everybody, for administrators. */
export class PageAllActionsQueryDto extends PageActionsQueryDto {
  /**
   * Shows the arguments, where the operator has set `ADMIN_CONTENT_ACCESS=true`. It goes to the audit log, before anything is
   * shown.
   */
  @OptionalField()
  @NotBlank()
  @CharacterCount(3, 500)
  @IsString()
  reason?: string;
}
