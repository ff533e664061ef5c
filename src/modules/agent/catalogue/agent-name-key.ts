import { normalForm } from '../../../common/validation/normal-form';

/** The name of an agent for comparisons: Unicode-normalized and without case. */
export function agentNameKey(name: string): string {
  return normalForm(name).toLowerCase();
}
