import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from '../../../components/page/lazy';
import { isPaletteOpen, showPalette, takeTyped } from '../../palette';
import { user } from '../../visit';

const Palette = lazy(async () => (await import('./palette')).Palette, 'palette');

/** Opens the command palette with ⌘K or Ctrl+K on every page of a signed-in user. */
export function PaletteHost(): JSX.Element | null {
  const isSignedIn = Boolean(user.value);
  const isOpen = isPaletteOpen();
  useEffect(() => {
    if (isOpen) void Palette.preload().then((isLoaded) => isLoaded || takeTyped());
  }, [isOpen]);
  useEffect(() => {
    if (!isSignedIn) return undefined;
    const listen = (event: KeyboardEvent): void => {
      const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && !event.isComposing;
      if (!isMeant || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // Another open dialog has priority.
      if (!document.querySelector('dialog[open]')) showPalette(true);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isSignedIn]);
  return isSignedIn && isOpen ? <Palette /> : null;
}
