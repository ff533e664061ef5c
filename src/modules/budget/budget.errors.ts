import { ApiError } from '../../common/errors/api-error';

/** The budget does not exist. */
export class BudgetNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'BUDGET_NOT_FOUND';
  static readonly summary = 'There is no budget with this id.';
}
