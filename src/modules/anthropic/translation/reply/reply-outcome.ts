import type { ApiError } from '../../../../common/errors/api-error';
import { toApiError } from '../../../../common/errors/to-api-error';
import type { Principal } from '../../../../common/security/principal';
import { ContextTooLongError } from '../../../../integrations/llm/port/llm.errors';
import { ProviderRefusalError } from '../../../../integrations/llm/port/provider-refusal';
import { type ReplyEnd, replyError } from '../../../generation/generation.api';
import type { StoppedReplies } from '../../errors/stopped-replies';

/** The size of a prompt, as the service counts it, and what the model accepts; both in tokens. */
export interface PromptSize {
  promptTokens: number;
  room: number;
}

/** How a reply ended for its client. */
export class ReplyOutcome {
  private stopReason: ApiError | null = null;

  /** @param refusal returns why the provider failed, in its own words if it refused the request */
  constructor(
    private readonly size: PromptSize,
    private readonly stopped: StoppedReplies,
    private readonly caller: Principal,
    private readonly refusal: () => unknown = () => null,
  ) {}

  /** Finds out why a reply was stopped that its client did not stop. Null: it was not. */
  beforeEnd({ status }: ReplyEnd): Promise<void> | null {
    return status === 'stopped' || status === 'interrupted' ? this.findStopReason() : null;
  }

  /** The error of a reply that failed or was stopped; null: it succeeded. */
  failureOf({ status, failure }: ReplyEnd): ApiError | null {
    if (status === 'stopped' || status === 'interrupted') {
      return this.stopReason;
    }
    if (status !== 'failed' || failure === null) {
      return null;
    }
    const refused = this.refusal();
    return refused instanceof ProviderRefusalError ? refused : withNumbers(replyError(failure), this.size);
  }

  private async findStopReason(): Promise<void> {
    this.stopReason = toApiError(await this.stopped.reasonOf(this.caller));
  }
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
