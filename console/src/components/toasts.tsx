import type { JSX } from 'preact';
import { texts } from '../app/i18n/languages';
import { ToastList } from '../app/toasts';
import { visit } from '../app/visit';
import { Button, IconButton } from './button';

const t = texts('shell');

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
