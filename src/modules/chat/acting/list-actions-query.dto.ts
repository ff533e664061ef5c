import { IsIn } from 'class-validator';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { OptionalField } from '../../../common/validation/fields';
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
