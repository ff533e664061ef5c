import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { texts } from '../languages';
import { visit } from '../visit';
import { Button, IconButton } from './button';
import { failureText } from './states';

const t = texts('shell');

const SHOWN_MILLISECONDS = 8_000;

interface Toast {
  id: number;
  text: string;
  isFailure: boolean;
  undo?: () => void;
}

/** What the person is told. */
class ToastList {
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

export function Toasts(): JSX.Element {
  const list = visit().part(ToastList);
  return (
    <div class="toasts" role="status">
      {list.shown.value.map(({ id, text, undo, isFailure }) => (
        <div key={id} class="toast" role={isFailure ? 'alert' : undefined}>
          <span>{text}</span>
          {undo && (
            <Button
              icon="undo"
              onClick={() => {
                list.remove(id);
                undo();
              }}
            >
              {t('undo')}
            </Button>
          )}
          <IconButton icon="close" label={t('close')} onClick={() => list.remove(id)} />
        </div>
      ))}
    </div>
  );
}
