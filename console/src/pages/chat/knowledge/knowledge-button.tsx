import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Drawing } from '../../../components/icon';
import { lazy } from '../../../components/page/lazy';
import type { KnowledgeDialogProps } from './knowledge-dialog';

const t = texts('chat');

const KnowledgeDialog = lazy<KnowledgeDialogProps>(
  async () => (await import('./knowledge-dialog')).KnowledgeDialog,
  'knowledge',
);

/** An open book. */
const BOOK = 'M12 6c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V4c-3 0-6 0-8 2zM12 6v14';

/** Chooses the collections that are searched in a conversation, and files that the user has uploaded before. */
export function KnowledgeButton({ chosen, ...actions }: Omit<KnowledgeDialogProps, 'onClose'>): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const label = chosen.length === 0 ? t('choose_knowledge') : t('chosen_knowledge', { count: chosen.length });
  return (
    <>
      <button
        type="button"
        class="button quiet only-icon knowledge-button"
        title={label}
        aria-label={label}
        onClick={() => setIsOpen(true)}
      >
        <Drawing path={BOOK} />
        {chosen.length > 0 && <span>{formatNumber(chosen.length)}</span>}
      </button>
      {isOpen && <KnowledgeDialog chosen={chosen} {...actions} onClose={() => setIsOpen(false)} />}
    </>
  );
}
