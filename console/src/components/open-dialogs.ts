import { computed, signal } from '@preact/signals';

/** The open dialogs, topmost last. */
export class OpenDialogs {
  private readonly open = signal<readonly symbol[]>([]);
  /** Null if none is open. */
  readonly uppermost = computed(() => this.open.value.at(-1) ?? null);

  add(dialog: symbol): void {
    this.open.value = [...this.open.peek(), dialog];
  }

  remove(dialog: symbol): void {
    this.open.value = this.open.peek().filter((other) => other !== dialog);
  }
}
