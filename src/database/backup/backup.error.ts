import { OperatorError } from '../../config/operator.error';

/** No backup was made; the message says why, and nothing is left of it. */
export class BackupError extends OperatorError {
  override readonly name = 'BackupError';

  constructor(reason: string) {
    super(`No backup was made: ${reason}.`);
  }
}
