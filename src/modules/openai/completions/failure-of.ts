import type { ApiError } from '../../../common/errors/api-error';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { type ReplyEnd, replyError } from '../../generation/generation.api';

/** Why a reply is not what was asked for: it failed, or the service ended before it. Null: it is. */
export function failureOf({ status, failure }: ReplyEnd): ApiError | null {
  if (status === 'interrupted') {
    return new ServiceUnavailableError();
  }
  return status === 'failed' && failure !== null ? replyError(failure) : null;
}
