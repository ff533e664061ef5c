import { OperatorError } from '../../config/operator.error';

/** The declarations of a module conflict with those of others. The message names the module and says what to do. */
export class FeatureError extends OperatorError {
  override readonly name = 'FeatureError';
}
