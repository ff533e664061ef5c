/** Splits a list of scopes at white space, or at commas, which some servers and users write. */
export function parseScopes(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '');
}
