import { ScimRequestError, type ScimType } from '../scim.errors';
import { scimmy } from './scimmy';

/**
 * Runs code of the library, and converts its errors about a request into the service's own.
 *
 * @throws ScimRequestError
 */
export function checked<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Like `checked`, for asynchronous code. */
export async function checkedAsync<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof scimmy.Types.Error) {
    return new ScimRequestError((error.scimType as ScimType | undefined) ?? null, error.message);
  }
  // Types that a schema does not allow.
  return error instanceof TypeError ? new ScimRequestError('invalidValue', error.message) : error;
}
