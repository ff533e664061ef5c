import type { ApiError } from '../../../common/errors/api-error';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { type ReplyEnd, replyError } from '../../generation/generation.api';

/** The error of a reply that failed or that the service interrupted; null otherwise. */
export function failureOf({ status, failure }: ReplyEnd): ApiError | null {
  if (status === 'interrupted') {
    return new ServiceUnavailableError();
  }
  return status === 'failed' && failure !== null ? replyError(failure) : null;
}
