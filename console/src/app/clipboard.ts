/** Puts a text on the clipboard. A page that came over plain http from another machine has no `navigator.clipboard`. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const entry = document.createElement('textarea');
  entry.value = text;
  // In a dialog, nothing outside it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(entry);
  entry.select();
  document.execCommand('copy');
  entry.remove();
}
