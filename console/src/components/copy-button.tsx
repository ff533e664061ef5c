import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../app/clipboard';
import { texts } from '../app/i18n/languages';
import { Icon } from './icon';

const t = texts('shell');

const SHOWN_MILLISECONDS = 2_000;

interface CopyButtonProps {
  text: () => string;
  label: string;
  showLabel?: boolean;
}

/** Copies a text to the clipboard and confirms it for a moment. */
export function CopyButton({ text, label, showLabel = false }: CopyButtonProps): JSX.Element {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text());
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), SHOWN_MILLISECONDS);
  };
  const words = isCopied ? t('copied') : label;
  return (
    <button
      type="button"
      class={`button quiet small ${showLabel ? '' : 'only-icon'}`}
      title={words}
      aria-label={words}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {showLabel && <span>{isCopied ? t('copied') : t('copy')}</span>}
      <span class="visually-hidden" role="status">
        {isCopied ? t('copied') : ''}
      </span>
    </button>
  );
}
