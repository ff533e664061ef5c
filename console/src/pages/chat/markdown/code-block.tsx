import '../../../styles/parts/code-block.css';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { CopyButton } from '../../../components/copy-button';
import { Icon } from '../../../components/icon';
import { useColours } from './extras/coloured';
import { Diagram } from './extras/diagram';

const t = texts('chat');

/** Lines per piece. A complete piece never renders again, and the browser skips it while it is off screen. */
const PIECE_LINES = 60;

export function CodeBlock({ language, text }: { language: string; text: string }): JSX.Element {
  const [isDrawn, setIsDrawn] = useState(false);
  const isDiagram = language.toLowerCase() === 'mermaid';
  return (
    <div class="code-block">
      <div class="code-head">
        <bdi>{language || t('code')}</bdi>
        <span class="code-actions">
          {isDiagram && (
            <button type="button" class="button quiet small" onClick={() => setIsDrawn(!isDrawn)}>
              <Icon name={isDrawn ? 'code' : 'image'} />
              {t(isDrawn ? 'show_source' : 'show_diagram')}
            </button>
          )}
          <CopyButton text={() => text} label={t('copy_code')} showLabel />
        </span>
      </div>
      {isDrawn ? <Diagram text={text} /> : <Code language={language} text={showBidi(text)} />}
    </div>
  );
}

function Code({ language, text }: { language: string; text: string }): JSX.Element {
  return (
    <pre tabIndex={0} dir="ltr" aria-label={language || t('code')} role="group">
      <code>{language === '' ? inPieces(text) : <Coloured language={language} text={text} />}</code>
    </pre>
  );
}

function Coloured({ language, text }: { language: string; text: string }): JSX.Element {
  const parts = useColours(language, text);
  const coloured = parts?.map((part, index) =>
    part.class === '' ? (
      part.text
    ) : (
      <span key={index} class={part.class}>
        {part.text}
      </span>
    ),
  );
  return <>{coloured ?? inPieces(text)}</>;
}

function inPieces(text: string): ComponentChildren {
  return pieces(text).map((piece, index) => <span key={index}>{piece}</span>);
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

/** Direction marks can disguise code, so they are shown as code points. */
function showBidi(text: string): string {
  return text.replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}
