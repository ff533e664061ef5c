import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import { controlName } from '../../app/palette';
import { Dialog } from '../../components/dialog';
import { workspace } from './state/workspace';

const t = texts('chat');
const shell = texts('shell');

export const ENTRY_ID = 'chat-entry';

/** Keyboard shortcuts of the chat page. */
export function useShortcuts(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const act = (event: KeyboardEvent): void => {
      const action = actionOf(event);
      if (!action) return;
      event.preventDefault();
      action(navigate);
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [navigate]);
}

function actionOf(event: KeyboardEvent): ((navigate: (path: string) => void) => void) | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return undefined;
  const key = event.key.toLowerCase();
  if (event.shiftKey && key === 'o') return (navigate) => navigate('/chat');
  if (event.key === '/') return () => (workspace().isHelpShown.value = true);
  return undefined;
}

/** The list of all shortcuts. */
export function KeyHelp(): JSX.Element | null {
  const { isHelpShown } = workspace();
  if (!isHelpShown.value) return null;
  const control = controlName();
  const keys: [string[], string][] = [
    [['Enter'], t('key_send')],
    [['Shift', 'Enter'], t('key_line')],
    [['Esc'], t('key_escape')],
    [['↑'], t('key_up')],
    [[control, 'Shift', 'O'], t('new_chat')],
    [[control, 'K'], shell('palette')],
    [[control, '/'], t('keys')],
  ];
  return (
    <Dialog title={t('keys')} onClose={() => (isHelpShown.value = false)}>
      <dl class="keys">
        {keys.map(([pressed, meaning]) => (
          <div key={meaning}>
            <dt>{meaning}</dt>
            <dd>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
