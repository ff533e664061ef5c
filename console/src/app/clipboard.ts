/** Copies a text to the clipboard. Pages served over plain HTTP from another machine have no `navigator.clipboard`. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const entry = document.createElement('textarea');
  entry.value = text;
  // While a modal dialog is open, nothing outside it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(entry);
  entry.select();
  document.execCommand('copy');
  entry.remove();
}
