import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { copyText } from '../app/clipboard';
import { texts } from '../app/i18n/languages';
import { Button } from './button';

const t = texts('shell');

/** A value that is shown only once, such as a new API key, with a copy button. */
export function Secret({ label, value, warning }: { label: string; value: string; warning: string }): JSX.Element {
  const id = useId();
  const entry = useRef<HTMLInputElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => entry.current?.focus(), []);

  const copy = async (): Promise<void> => {
    await copyText(value);
    setIsCopied(true);
  };

  return (
    <div class="stack">
      <p class="notice warning">{warning}</p>
      <div class="field">
        <label for={id}>{label}</label>
        <div class="row">
          <input
            ref={entry}
            id={id}
            class="input mono secret"
            readOnly
            value={value}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
            {isCopied ? t('copied') : t('copy')}
          </Button>
          <span class="visually-hidden" role="status">
            {isCopied && t('copied')}
          </span>
        </div>
      </div>
    </div>
  );
}
