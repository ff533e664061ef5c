/** Fits the height to the text, up to the limit in the style sheet. */
export function fitHeight(entry: HTMLTextAreaElement): void {
  entry.style.height = 'auto';
  entry.style.height = `${entry.scrollHeight + entry.offsetHeight - entry.clientHeight}px`;
}
