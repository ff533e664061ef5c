/** The form for a body with a file. Undefined for any other body, which is sent as JSON. */
export function formOf(body: unknown): FormData | undefined {
  const fields = Object.entries(body ?? {}) as [string, string | Blob | undefined][];
  if (!fields.some(([, value]) => value instanceof Blob)) return undefined;
  const form = new FormData();
  for (const [name, value] of fields) if (value !== undefined) form.append(name, value);
  return form;
}
