import { signal } from '@preact/signals';
import { failureText } from './failure-text';
import { visit } from './visit';

const SHOWN_MILLISECONDS = 8_000;

interface Toast {
  id: number;
  /** Path of the page that showed it. */
  page: string;
  text: string;
  isFailure: boolean;
  undo?: () => void;
}

/** The messages on screen. */
export class ToastList {
  readonly shown = signal<Toast[]>([]);
  private last = 0;

  add({ text, undo, isFailure }: Omit<Toast, 'id' | 'page'>): void {
    const id = ++this.last;
    const page = location.pathname;
    this.shown.value = [...this.shown.value.slice(-2), { id, page, text, undo, isFailure }];
    if (!isFailure) setTimeout(() => this.remove(id), SHOWN_MILLISECONDS);
  }

  remove(id: number): void {
    this.shown.value = this.shown.value.filter((toast) => toast.id !== id);
  }

  /** Removes the messages of other pages. */
  keepOf(page: string): void {
    this.shown.value = this.shown.value.filter((toast) => toast.page === page);
  }
}

/**
 * Shows a message for some seconds; `undo` adds a button that reverts the action. A failure stays until the user closes
 * it. A navigation removes both, so code that leaves the page must navigate first.
 */
export function toast(
  text: string,
  { undo, isFailure = false }: { undo?: () => void; isFailure?: boolean } = {},
): void {
  visit().part(ToastList).add({ text, undo, isFailure });
}

/** Runs an action and shows its failure. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    toast(failureText(error), { isFailure: true });
    return false;
  }
}
