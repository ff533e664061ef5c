/** Scopes as a text has them: separated by blanks, or by commas as some servers and people write them. */
export function scopesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '');
}
