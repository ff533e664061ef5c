import { signal } from '@preact/signals';
import { visit } from './visit';

/** The list over everything. */
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

  /** Until the list is loaded, what is typed would go into the page. */
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

/** Whether the list over everything is open. */
export function isPaletteOpen(): boolean {
  return visit().part(Palette).isOpen.value;
}

export function showPalette(isShown: boolean): void {
  visit().part(Palette).show(isShown);
}

/** Hands over what was typed since the list was opened; from now on keys go where they always do. */
export function takeTyped(): string {
  return visit().part(Palette).takeTyped();
}

/** What people call the key that is held for the others. */
export function controlName(): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
