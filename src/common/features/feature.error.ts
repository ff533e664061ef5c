import { OperatorError } from '../../config/operator.error';

/** What a module declares does not go together with the others. The message names the module and says what to do. */
export class FeatureError extends OperatorError {
  override readonly name = 'FeatureError';
}
