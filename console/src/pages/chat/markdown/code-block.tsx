import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { CopyButton } from '../../../components/copy-button';

const t = texts('chat');

/** So many lines are one piece: a piece that is whole is never drawn again, and is left out while it is out of view. */
const PIECE_LINES = 60;

export function CodeBlock({ language, text }: { language: string; text: string }): JSX.Element {
  return (
    <div class="code-block">
      <div class="code-head">
        <bdi>{language || t('code')}</bdi>
        <CopyButton text={() => text} label={t('copy_code')} showLabel />
      </div>
      <pre tabIndex={0} dir="ltr" aria-label={language || t('code')} role="group">
        <code>
          {pieces(showBidi(text)).map((piece, index) => (
            <span key={index}>{piece}</span>
          ))}
        </code>
      </pre>
    </div>
  );
}

function pieces(text: string): string[] {
  const lines = text.split('\n');
  const found: string[] = [];
  for (let start = 0; start < lines.length; start += PIECE_LINES) {
    const isLast = start + PIECE_LINES >= lines.length;
    found.push(lines.slice(start, start + PIECE_LINES).join('\n') + (isLast ? '' : '\n'));
  }
  return found;
}

/** Marks that turn the direction of writing can hide what code does, so they are shown by their number. */
function showBidi(text: string): string {
  return text.replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}
