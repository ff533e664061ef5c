import '../../../styles/chat/citations.css';
import type { Citation } from 'chat-service-client';
import type { ComponentChild, JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Markdown } from '../markdown/markdown';
import { DrawMark } from '../markdown/marked';
import { workspace } from '../state/workspace';
import { passagesOf, withMarks } from './cited-text';

const t = texts('chat');

export interface CitedTextProps {
  /** A part of the reply. */
  text: string;
  /** Where it starts in the text of the reply. */
  from: number;
  citations: readonly Citation[];
  /** False in a shared conversation, whose readers have no right to the files. */
  canOpen: boolean;
}

/** Markdown with the numbers of its citations, each of which opens its passage. */
export function CitedText({ text, from, citations, canOpen }: CitedTextProps): JSX.Element {
  const drawMark = useCallback(
    (number: number): ComponentChild => {
      const citation = citations.find((one) => one.number === number);
      return citation && <CitationMark citation={citation} canOpen={canOpen} />;
    },
    [citations, canOpen],
  );
  return (
    <DrawMark.Provider value={drawMark}>
      <Markdown text={withMarks(text, from, citations)} />
    </DrawMark.Provider>
  );
}

function CitationMark({ citation, canOpen }: { citation: Citation; canOpen: boolean }): JSX.Element {
  const { number, filename } = citation;
  if (!canOpen) return <sup title={filename}>[{number}]</sup>;
  return (
    <button
      type="button"
      class="citation"
      aria-label={t('source', { number: String(number), name: filename })}
      title={filename}
      onClick={() => (workspace().passage.value = citation)}
    >
      {number}
    </button>
  );
}

/** The passages that a reply cites, below its text. */
export function Sources({ citations, canOpen }: { citations: readonly Citation[]; canOpen: boolean }): JSX.Element {
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
