import { normalForm } from '../../../common/validation/normal-form';

/** The name of an agent in the form for comparisons: Unicode-normalized and in lower case. */
export function agentNameKey(name: string): string {
  return normalForm(name).toLowerCase();
}
