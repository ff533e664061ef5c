import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { toApiError } from '../../../common/errors/to-api-error';

/**
 * Whether a failed write is worth repeating: the database is away, or gave the transaction up for another one. Anything
 * else fails again in the same way.
 */
export function isPassingFault(error: unknown): boolean {
  // mysql2 marks what ended a connection; some of it has no code.
  const { driverError, fatal } = error as { driverError?: { fatal?: unknown }; fatal?: unknown };
  return (driverError?.fatal ?? fatal) === true || toApiError(error) instanceof ServiceUnavailableError;
}
