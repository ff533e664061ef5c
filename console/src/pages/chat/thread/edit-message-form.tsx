import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { editPlace } from '../../../app/drafts';
import { texts } from '../../../app/i18n/languages';
import { Button } from '../../../components/button';
import { isSendKey } from '../composer/enter-key';
import { fitHeight } from '../composer/fit-height';
import type { Message } from '../state/types';
import { workspace } from '../state/workspace';
import { wordsOf } from './message-parts';

const t = texts('chat');
const shell = texts('shell');

interface EditMessageFormProps {
  message: Message;
  onCancel: () => void;
  onSend: (content: string) => void;
}

export function EditMessageForm({ message, onCancel, onSend }: EditMessageFormProps): JSX.Element {
  const entry = useRef<HTMLTextAreaElement>(null);
  const { drafts } = workspace();
  const place = editPlace(message.id);
  // After a refusal, the draft restores the edited text.
  const [text, setText] = useState(() => drafts.read(place) || wordsOf(message));
  const canSend = text.trim() !== '';
  const send = (): void => {
    if (!canSend) return;
    drafts.keep(place, text);
    onSend(text);
  };
  const cancel = (): void => {
    drafts.keep(place, '');
    onCancel();
  };
  useLayoutEffect(() => void (entry.current && fitHeight(entry.current)), [text]);
  useLayoutEffect(() => {
    entry.current?.focus();
    entry.current?.setSelectionRange(text.length, text.length);
  }, []);
  return (
    <form
      class="edit-message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={entry}
        class="input"
        dir="auto"
        rows={1}
        maxLength={32_000}
        aria-label={t('edit_message')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !event.isComposing) cancel();
          if (!isSendKey(event)) return;
          event.preventDefault();
          send();
        }}
      />
      <p class="soft">{t('edit_hint')}</p>
      <div class="row end">
        <Button onClick={cancel}>{shell('cancel')}</Button>
        <Button type="submit" kind="primary" disabled={!canSend}>
          {t('send')}
        </Button>
      </div>
    </form>
  );
}
