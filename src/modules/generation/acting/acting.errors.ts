import { ApiError } from '../../../common/errors/api-error';

/** The action does not exist, or the caller may not see it. */
export class ActionNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'ACTION_NOT_FOUND';
  static readonly summary = 'No such action that you may see. GET /user/actions lists those that wait for you.';
}

/** The caller may see the action but not decide it. */
export class ApproverRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'APPROVER_REQUIRED';
  static readonly summary =
    'Somebody else decides this action. Ask them, or write another message to go on without it.';
}

/** The user has no such approval. */
export class ApprovalNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'APPROVAL_NOT_FOUND';
  static readonly summary = 'No such approval of yours. GET /user/approvals lists them.';
}

/** The action expired before a decision. */
export class ActionExpiredError extends ApiError {
  static readonly status = 410;
  static readonly code = 'ACTION_EXPIRED';
  static readonly summary =
    'The time to decide this action is over, and the call was not made. Ask again in the conversation.';
}

/** The action was already decided differently, or the conversation has continued without it. */
export class ActionAlreadyDecidedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'ACTION_ALREADY_DECIDED';
  static readonly summary = 'This action is decided otherwise, or no longer wanted. Read it again.';
}

/** The approved arguments differ from those of the action. */
export class ArgumentsChangedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'ARGUMENTS_CHANGED';
  static readonly summary =
    'The arguments_hash is not that of this action. Read the action again, and look at its arguments.';
}

/** The errors that a decision can end with. */
export const DECISION_FAILURES = [
  ActionNotFoundError,
  ApproverRequiredError,
  ActionExpiredError,
  ActionAlreadyDecidedError,
  ArgumentsChangedError,
];
