import type { Citation } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { workspace } from '../state/workspace';
import { passagesOf } from './cited-text';

const t = texts('chat');

/** The passages that a reply cites, below its text. */
export function Sources({
  citations,
  canOpen,
}: {
  citations: readonly Citation[];
  canOpen: boolean;
}): JSX.Element | null {
  if (citations.length === 0) return null;
  return (
    <ul class="sources" aria-label={t('sources')}>
      {passagesOf(citations).map((citation) => (
        <li key={citation.number}>
          {canOpen ? (
            <button type="button" class="button small" onClick={() => (workspace().passage.value = citation)}>
              <Source citation={citation} />
            </button>
          ) : (
            <span class="soft">
              <Source citation={citation} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Source({ citation: { number, filename, page } }: { citation: Citation }): JSX.Element {
  return (
    <>
      {number}. <bdi>{filename}</bdi>
      {typeof page === 'number' && <span class="soft amount">{t('source_page', { page: String(page) })}</span>}
    </>
  );
}
