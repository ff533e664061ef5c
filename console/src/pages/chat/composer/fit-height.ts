/** As high as its text, up to a limit of the style sheet. */
export function fitHeight(entry: HTMLTextAreaElement): void {
  entry.style.height = 'auto';
  entry.style.height = `${entry.scrollHeight + entry.offsetHeight - entry.clientHeight}px`;
}
