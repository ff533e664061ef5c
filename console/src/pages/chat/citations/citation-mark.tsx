import type { Citation } from 'chat-service-client';
import { type ComponentChild, createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { workspace } from '../state/workspace';
import { splitAtMarks } from './cited-text';

const t = texts('chat');

/** The citations of a text. */
interface CitationList {
  citations: readonly Citation[];
  /** False in a shared conversation, whose readers have no right to the files. */
  canOpen: boolean;
}

export const Citations = createContext<CitationList>({ citations: [], canOpen: false });

/** Text whose marks are citations. */
export function drawCited(text: string): ComponentChild {
  const parts = splitAtMarks(text);
  if (parts.length === 1) return text;
  return parts.map((part, index) => (typeof part === 'string' ? part : <CitationMark key={index} number={part} />));
}

/** The number of a citation, which opens its passage. */
function CitationMark({ number }: { number: number }): JSX.Element | null {
  const { citations, canOpen } = useContext(Citations);
  const citation = citations.find((one) => one.number === number);
  if (!citation) return null;
  const label = t('source', { number: String(number), name: citation.filename });
  if (!canOpen) return <sup title={citation.filename}>[{number}]</sup>;
  return (
    <button
      type="button"
      class="citation"
      aria-label={label}
      title={citation.filename}
      onClick={() => (workspace().passage.value = citation)}
    >
      {number}
    </button>
  );
}
