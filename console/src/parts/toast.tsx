import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { texts } from '../languages';
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

const toasts = signal<Toast[]>([]);
let last = 0;

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says for a while what was done; with `undo` it can be taken back. A failure stays until it is closed. */
export function toast(
  text: string,
  { undo, isFailure = false }: { undo?: () => void; isFailure?: boolean } = {},
): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-2), { id, text, undo, isFailure }];
  if (!isFailure) setTimeout(() => remove(id), SHOWN_MILLISECONDS);
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
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, undo, isFailure }) => (
        <div key={id} class="toast" role={isFailure ? 'alert' : undefined}>
          <span>{text}</span>
          {undo && (
            <Button
              icon="undo"
              onClick={() => {
                remove(id);
                undo();
              }}
            >
              {t('undo')}
            </Button>
          )}
          <IconButton icon="close" label={t('close')} onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
}
