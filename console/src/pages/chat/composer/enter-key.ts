/**
 * Whether a key press sends the message. On a soft keyboard, Enter begins a new line, because there is no Shift with it;
 * the button sends.
 */
export function isSendKey(event: KeyboardEvent): boolean {
  // Input methods use Enter to confirm. In Safari, the composition is over before the key event, which has code 229.
  if (event.isComposing || event.keyCode === 229) return false;
  const isSoft = matchMedia('(hover: none) and (pointer: coarse)').matches;
  return event.key === 'Enter' && !event.altKey && !isSoft && !event.shiftKey;
}
