import { isUniqueViolation } from '../../database/database.errors';
import { EmailAlreadyRegisteredError, UsernameTakenError } from './user.errors';

/**
 * Writes an account; the unique indexes decide who has a name or an address.
 *
 * @throws EmailAlreadyRegisteredError, UsernameTakenError
 */
export async function refusingDuplicates(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (isUniqueViolation(error, 'username')) {
      throw new UsernameTakenError();
    }
    throw isUniqueViolation(error, 'email') ? new EmailAlreadyRegisteredError() : error;
  }
}
