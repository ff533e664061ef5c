import type { FileDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatKilobytes } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Button } from '../../../components/button';
import { Field } from '../../../components/form/form';
import { Show } from '../../../components/states';
import { UserText } from '../../../components/user-text';

const t = texts('knowledge');

const MOST_SHOWN = 5;

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 300;

/** The newest files of the user, or those with a name, to attach to a message. */
export function OwnFiles({ onAttach }: { onAttach: (file: FileDto) => void }): JSX.Element {
  const [words, setWords] = useState('');
  const timer = useRef<number>();
  const loaded = useLoad(async () => {
    const query = { size: MOST_SHOWN, ...(words !== '' && { q: words }) };
    return (await api.files.list({ query })).data.items;
  }, [words]);
  const search = (typed: string): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setWords(typed.trim()), TYPING_MILLISECONDS);
  };
  return (
    <section class="stack tight">
      <Field label={t('own_files')} name="q" hint={t('own_files_hint')}>
        {(wiring) => (
          <input
            {...wiring}
            type="search"
            maxLength={100}
            autoComplete="off"
            onInput={(event) => search(event.currentTarget.value)}
          />
        )}
      </Field>
      <Show loaded={loaded}>
        {(files) => (
          <ul class="plain-list stack tight">
            {files.map((file) => (
              <li key={file.id} class="row spread">
                <span class="entry-text">
                  <UserText>{file.filename}</UserText> <span class="soft amount">{formatKilobytes(file.bytes)}</span>
                </span>
                <Button aria-label={t('attach_file', { name: file.filename })} onClick={() => onAttach(file)}>
                  {t('attach')}
                </Button>
              </li>
            ))}
            {files.length === 0 && <li class="soft">{t('no_own_files')}</li>}
          </ul>
        )}
      </Show>
    </section>
  );
}
