import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';

interface Notes {
  /** Prefix of the note ids. */
  id: string;
  numbers: ReadonlyMap<string, number>;
}

/** The footnotes of one text. */
export const Footnotes = createContext<Notes | null>(null);

function useNoteId(label: string): string | undefined {
  const notes = useContext(Footnotes);
  const number = notes?.numbers.get(label);
  return number === undefined ? undefined : `${notes?.id}-${number}`;
}

/**
 * A link to a footnote. If the note is missing, a number stays a reference, and any other label is shown as source text
 * because it may mean something else.
 */
export function FootnoteReference({ label, text }: { label: string; text: string }): JSX.Element {
  const id = useNoteId(label);
  if (id === undefined) return /^\d+$/.test(label) ? <sup>[{label}]</sup> : <>{text}</>;
  // Avoids an entry in the browser history.
  const show = (event: Event): void => {
    event.preventDefault();
    document.getElementById(id)?.focus();
  };
  return (
    <sup>
      <a href={`#${id}`} role="doc-noteref" onClick={show}>
        [{label}]
      </a>
    </sup>
  );
}

export function Footnote({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="footnote" id={useNoteId(label)} tabIndex={-1}>
      <sup>[{label}]</sup>
      <div>{children}</div>
    </div>
  );
}
