import { signal } from '@preact/signals';
import { visit } from './visit';

/** Whether the list over everything is open. */
class Palette {
  readonly isOpen = signal(false);
}

export function isPaletteOpen(): boolean {
  return visit().part(Palette).isOpen.value;
}

export function showPalette(isShown: boolean): void {
  visit().part(Palette).isOpen.value = isShown;
}

/** What people call the key that is held for the others. */
export function controlName(): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
