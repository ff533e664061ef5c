import { OperatorError } from './operator.error';

/** The configuration cannot be used; `faults` names every variable that is wrong and what it should be. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError';

  constructor(readonly faults: string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}
