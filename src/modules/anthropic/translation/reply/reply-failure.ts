import type { ApiError } from '../../../../common/errors/api-error';
import { ServiceOverloadedError } from '../../../../common/errors/common.errors';
import { ContextTooLongError } from '../../../../integrations/llm/port/llm.errors';
import { type ReplyEnd, replyError } from '../../../generation/generation.api';

/** The size of a prompt, as the service counts it, and what the model accepts; both in tokens. */
export interface PromptSize {
  promptTokens: number;
  room: number;
}

/** The error of a reply that failed, or that a shutdown ended; null: it succeeded. */
export function failureOf({ status, failure }: ReplyEnd, size: PromptSize): ApiError | null {
  if (status === 'interrupted') {
    return new ServiceOverloadedError();
  }
  return status === 'failed' && failure !== null ? withNumbers(replyError(failure), size) : null;
}

/** Adds the numbers that a prompt that is too long lacks if only the provider counted it. Clients parse them. */
export function withNumbers<Failure>(
  error: Failure,
  { promptTokens, room }: PromptSize,
): Failure | ContextTooLongError {
  if (!(error instanceof ContextTooLongError)) {
    return error;
  }
  const limit = numberOr(error.details.limit, room);
  return ContextTooLongError.of(numberOr(error.details.tokens, Math.max(promptTokens, limit + 1)), limit);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
