import type { EntryDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';

const t = texts('knowledge');

/** How far a file is. A failure has its reason, which says what to do. */
export function EntryStatus({ entry }: { entry: EntryDto }): JSX.Element {
  const { status, stage, error, warning, progress } = entry;
  const isReadAgain = status === 'completed' && stage !== 'done' && stage !== null;
  return (
    <div class="stack tight">
      {status === 'completed' && <Badge tone="success">{t('status_completed')}</Badge>}
      {status === 'failed' && <Badge tone="danger">{t('status_failed')}</Badge>}
      {status === 'cancelled' && <Badge>{t('status_cancelled')}</Badge>}
      {(status === 'in_progress' || isReadAgain) && (
        <Badge tone="accent">
          <span class="spinner" />
          {t(`stage_${stage ?? 'queued'}`)}
          {progress.total > 0 && ` ${t('progress', { done: progress.done, total: progress.total })}`}
        </Badge>
      )}
      {error && <p class="reason">{error.message}</p>}
      {warning && <p class="reason">{t(`warning_${warning}`)}</p>}
    </div>
  );
}
