import { signal } from '@preact/signals';
import { visit } from './visit';

/** The command palette. */
class Palette {
  readonly isOpen = signal(false);
  private typed = '';

  show(isShown: boolean): void {
    this.isOpen.value = isShown;
    if (isShown) addEventListener('keydown', this.keep, true);
    else this.takeTyped();
  }

  takeTyped(): string {
    removeEventListener('keydown', this.keep, true);
    const { typed } = this;
    this.typed = '';
    return typed;
  }

  /** Collects the keys that are typed before the palette is loaded. They would otherwise go to the page. */
  private readonly keep = (event: KeyboardEvent): void => {
    const { key } = event;
    const isText = key.length === 1;
    if (event.ctrlKey || event.metaKey || !(isText || key === 'Backspace' || key === 'Enter')) return;
    event.preventDefault();
    event.stopPropagation();
    if (isText) this.typed += key;
    else if (key === 'Backspace') this.typed = this.typed.slice(0, -1);
  };
}

export function isPaletteOpen(): boolean {
  return visit().part(Palette).isOpen.value;
}

export function showPalette(isShown: boolean): void {
  visit().part(Palette).show(isShown);
}

/** Returns the keys typed since the palette was opened, and stops collecting them. */
export function takeTyped(): string {
  return visit().part(Palette).takeTyped();
}

/** The name of the shortcut modifier on this system. */
export function controlName(): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
