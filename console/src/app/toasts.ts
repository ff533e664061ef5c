import { signal } from '@preact/signals';
import { failureText } from './failure-text';
import { visit } from './visit';

const SHOWN_MILLISECONDS = 8_000;

interface Toast {
  id: number;
  text: string;
  isFailure: boolean;
  undo?: () => void;
}

/** What the person is told. */
export class ToastList {
  readonly shown = signal<Toast[]>([]);
  private last = 0;

  add({ text, undo, isFailure }: Omit<Toast, 'id'>): void {
    const id = ++this.last;
    this.shown.value = [...this.shown.value.slice(-2), { id, text, undo, isFailure }];
    if (!isFailure) setTimeout(() => this.remove(id), SHOWN_MILLISECONDS);
  }

  remove(id: number): void {
    this.shown.value = this.shown.value.filter((toast) => toast.id !== id);
  }
}

/** Says for a while what was done; with `undo` it can be taken back. A failure stays until it is closed. */
export function toast(
  text: string,
  { undo, isFailure = false }: { undo?: () => void; isFailure?: boolean } = {},
): void {
  visit().part(ToastList).add({ text, undo, isFailure });
}

/** Does something, and says it when that fails. Returns whether it was done. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    toast(failureText(error), { isFailure: true });
    return false;
  }
}
