import { OperatorError } from '../../config/operator.error';

/** The backup failed. The message says why, and no file is left. */
export class BackupError extends OperatorError {
  override readonly name = 'BackupError';

  constructor(reason: string) {
    super(`No backup was made: ${reason}.`);
  }
}
