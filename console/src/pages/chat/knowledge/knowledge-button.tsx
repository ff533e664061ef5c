import type { JSX } from 'preact';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Drawing } from '../../../components/icon';

const t = texts('chat');

/** An open book. */
const BOOK = 'M12 6c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V4c-3 0-6 0-8 2zM12 6v14';

/**
 * Opens the choice of collections and files for a conversation.
 *
 * @param count number of chosen collections
 */
export function KnowledgeButton({ count, onClick }: { count: number; onClick: () => void }): JSX.Element {
  const label = count === 0 ? t('choose_knowledge') : t('chosen_knowledge', { count });
  return (
    <button
      type="button"
      class="button quiet only-icon knowledge-button"
      title={label}
      aria-label={label}
      onClick={onClick}
    >
      <Drawing path={BOOK} />
      {count > 0 && <span>{formatNumber(count)}</span>}
    </button>
  );
}
