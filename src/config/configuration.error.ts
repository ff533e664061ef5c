import { OperatorError } from './operator.error';

/** The configuration is invalid; `faults` names every wrong variable and its correct form. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError';

  constructor(readonly faults: string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}
