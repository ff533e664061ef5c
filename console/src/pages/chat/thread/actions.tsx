import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { ActionCard } from '../../../components/acting/action-card';
import type { Wish } from '../../../components/acting/wish';
import type { Action } from '../state/types';

const t = texts('acting');

interface ActionsProps {
  actions: Action[];
  onDecide: (action: Action, wish: Wish) => Promise<void>;
  /** Whether the reply continues. An MCP server may ask in the middle of a call. */
  isLive: boolean;
}

/** The pending actions of a reply. */
export function Actions({ actions, onDecide, isLive }: ActionsProps): JSX.Element {
  return (
    <>
      {actions.map((action) => (
        <ActionCard key={action.id} action={action} onDecide={(wish) => onDecide(action, wish)} />
      ))}
      {!isLive && <p class="soft">{t('goes_on_without')}</p>}
    </>
  );
}
