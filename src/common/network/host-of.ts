/**
 * The host of a URL: a name without a final dot, or an address without brackets. The URL's parser has made it lower
 * case.
 */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
