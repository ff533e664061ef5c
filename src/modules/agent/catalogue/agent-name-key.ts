/** The name of an agent for comparisons: Unicode-normalized and without case. */
export function agentNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
