import { agentNameKey } from './agent-definition';

const LONGEST_NAME = 64;

/** `<name> (copy)`, `<name> (copy 2)` and so on: the first that is free. */
export function freeCopyName(name: string, nameKeysInUse: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? ' (copy)' : ` (copy ${number})`;
    const candidate = [...name].slice(0, LONGEST_NAME - suffix.length).join('') + suffix;
    if (!nameKeysInUse.has(agentNameKey(candidate))) {
      return candidate;
    }
  }
}
