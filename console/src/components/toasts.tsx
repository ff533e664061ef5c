import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { texts } from '../app/i18n/languages';
import { ToastList } from '../app/toasts';
import { visit } from '../app/visit';
import { Button, IconButton } from './button';
import { OpenDialogs } from './open-dialogs';

const t = texts('shell');

/**
 * Messages in a row below the page, where they cover nothing. An open modal dialog disables the rest of the page, so
 * the messages are in the topmost dialog.
 *
 * @param dialog the dialog that contains them; null: the page
 */
export function Toasts({ dialog = null }: { dialog?: symbol | null }): JSX.Element {
  const [path] = useLocation();
  const list = visit().part(ToastList);
  const isHere = visit().part(OpenDialogs).uppermost.value === dialog;
  useLayoutEffect(() => list.keepOf(location.pathname), [path]);
  return (
    <div class="toasts" role="status">
      {(isHere ? list.shown.value : []).map(({ id, text, undo, isFailure }) => (
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
