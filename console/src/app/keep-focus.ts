/**
 * Keeps the keyboard focus near the last used element when that element is removed or moved. Otherwise the browser
 * would continue from the top of the page.
 */
export function keepFocus(): void {
  /** The last focused element and its ancestors. */
  let path: EventTarget[] = [];
  let isByKeys = false;
  addEventListener('keydown', () => (isByKeys = true), true);
  addEventListener('pointerdown', () => (isByKeys = false), true);
  addEventListener('focusin', (event) => (path = event.composedPath()));
  new MutationObserver(() => {
    const isLost = isByKeys && document.hasFocus() && document.activeElement === document.body;
    if (isLost && path.length > 0) focusNear(path.filter((place) => place instanceof HTMLElement));
  }).observe(document.body, { childList: true, subtree: true });
}

function focusNear(places: HTMLElement[]): void {
  const [lost] = places;
  const near = places.find(({ isConnected }) => isConnected);
  // The whole page has changed. Its first link is the skip link, which would cover the page if it had the focus.
  const isElsewhere = near === document.body || near === document.documentElement;
  const found = isElsewhere ? document.querySelector('h1[tabindex]') : nearTo(near, lost);
  if (found instanceof HTMLElement) found.focus();
}

function nearTo(near: HTMLElement | undefined, lost: HTMLElement | undefined): Element | null {
  const label = lost?.getAttribute('aria-label') ?? '';
  return (
    // The element was moved, or replaced by an equal one.
    (near && near === lost && !near.matches(':disabled')
      ? near
      : document.querySelector(`.chat-list [aria-label="${CSS.escape(label)}"]`)) ??
    // In a chat, including a new one, the focus returns to the message input.
    (near?.closest('.conversation') ?? (lost?.closest('.composer') && near))?.querySelector('.composer textarea') ??
    near?.querySelector('a[href], button:not(:disabled)') ??
    document.querySelector('.composer textarea') ??
    document.querySelector('h1[tabindex]')
  );
}
