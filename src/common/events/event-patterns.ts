/** Whether `pattern` is one of the event types, a group of them such as `message.*`, or `*`. */
export function isSubscription(pattern: unknown, types: readonly string[]): boolean {
  if (typeof pattern !== 'string') {
    return false;
  }
  const isGroup = (): boolean => pattern.endsWith('.*') && types.some((type) => `${type.split('.')[0]}.*` === pattern);
  return pattern === '*' || types.includes(pattern) || isGroup();
}

/**
 * Whether one of the patterns covers the event type. The type may be unknown, because its module may have been removed.
 */
export function isSubscribed(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}
