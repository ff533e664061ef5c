import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import { Dialog } from '../../components/dialog';
import { openAside } from '../../components/page/layout';
import { workspace } from './state/workspace';

const t = texts('chat');

export const SEARCH_ID = 'chat-search';
export const ENTRY_ID = 'chat-entry';

/** What people call the key that is held for the others. */
function controlName(): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}

/** Keys that work everywhere in the chat. */
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
  if (!event.shiftKey && key === 'k') return focusSearch;
  if (event.key === '/') return () => (workspace().isHelpShown.value = true);
  return undefined;
}

function focusSearch(): void {
  openAside();
  // The list is hidden until it has opened.
  requestAnimationFrame(() => document.getElementById(SEARCH_ID)?.focus());
}

/** The list of all keys. */
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
    [[control, 'K'], t('search_chats')],
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
