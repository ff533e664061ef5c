/** The text in a field of a submitted form. */
export function textOf(entries: FormData, name: string): string {
  const entry = entries.get(name);
  return typeof entry === 'string' ? entry : '';
}
