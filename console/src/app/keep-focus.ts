/**
 * Whoever works with the keyboard goes on near what they have just used, also when it is taken away or put elsewhere. The
 * browser would go back to the beginning of the page.
 */
export function keepFocus(): void {
  /** What had the focus last, and what it was in. */
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
  // All of the page is another one. Its first link is the one that leads past the others, and would lie over them.
  const isElsewhere = near === document.body || near === document.documentElement;
  const found = isElsewhere ? document.querySelector('h1[tabindex]') : nearTo(near, lost);
  if (found instanceof HTMLElement) found.focus();
}

function nearTo(near: HTMLElement | undefined, lost: HTMLElement | undefined): Element | null {
  const label = lost?.getAttribute('aria-label') ?? '';
  return (
    // Put elsewhere, as it is or made anew.
    (near && near === lost && !near.matches(':disabled')
      ? near
      : document.querySelector(`.chat-list [aria-label="${CSS.escape(label)}"]`)) ??
    // In a chat one writes, also in one that has just begun.
    (near?.closest('.conversation') ?? (lost?.closest('.composer') && near))?.querySelector('.composer textarea') ??
    near?.querySelector('a[href], button:not(:disabled)') ??
    document.querySelector('.composer textarea') ??
    document.querySelector('h1[tabindex]')
  );
}
