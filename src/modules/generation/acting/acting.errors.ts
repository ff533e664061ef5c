import { ApiError } from '../../../common/errors/api-error';

/** The action does not exist, or the caller may not see it. */
export class ActionNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'ACTION_NOT_FOUND';
  static readonly summary = 'There is no such action, or you may not see it. `GET /user/actions` lists your actions.';
}

/** The caller may see the action but not decide it. */
export class ApproverRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'APPROVER_REQUIRED';
  static readonly summary =
    'Another user decides on this action. Ask that user, or send another message to continue without the ' + 'call.';
}

/** The user has no such approval. */
export class ApprovalNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'APPROVAL_NOT_FOUND';
  static readonly summary = 'You have no such approval. `GET /user/approvals` lists yours.';
}

/** The action expired before a decision. */
export class ActionExpiredError extends ApiError {
  static readonly status = 410;
  static readonly code = 'ACTION_EXPIRED';
  static readonly summary = 'The time to decide has passed, and the call was not made. Ask again in the conversation.';
}

/** The action was already decided differently, or the conversation has continued without it. */
export class ActionAlreadyDecidedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'ACTION_ALREADY_DECIDED';
  static readonly summary = 'The action was decided differently or is no longer needed. Read it again.';
}

/** The approved arguments differ from those of the action. */
export class ArgumentsChangedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'ARGUMENTS_CHANGED';
  static readonly summary =
    'The `arguments_hash` does not match the action. Read the action again and check its arguments.';
}

/** The errors that a decision can end with. */
export const DECISION_FAILURES = [
  ActionNotFoundError,
  ApproverRequiredError,
  ActionExpiredError,
  ActionAlreadyDecidedError,
  ArgumentsChangedError,
];
