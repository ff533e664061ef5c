import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { editPlace } from '../../drafts';
import { texts } from '../../languages';
import { Button, IconButton } from '../../parts/button';
import { fit } from './composer';
import { CopyButton } from './copy-button';
import { MessageParts, wordsOf } from './message-parts';
import { ShowMore } from './show-more';
import { workspace } from './state/workspace';
import type { Message } from './types';
import { Versions, type VersionsProps } from './versions';

const t = texts('chat');
const shell = texts('shell');

interface UserMessageProps extends VersionsProps {
  message: Message;
  isEdited: boolean;
  onEdit: (isEdited: boolean) => void;
  onSend: (content: string) => void;
}

/** What the person wrote; another wording can be sent in its place. */
export function UserMessage({ message, isEdited, onEdit, onSend, ...versions }: UserMessageProps): JSX.Element {
  const said = wordsOf(message);
  return (
    <article class="message user" aria-label={t('you')}>
      <h2 class="visually-hidden">{t('you')}</h2>
      {isEdited ? (
        <Wording message={message} onCancel={() => onEdit(false)} onSend={onSend} />
      ) : (
        <>
          {said !== '' && <UserText content={said} />}
          {message.parts && <MessageParts message={message} />}
          <div class="message-actions">
            <CopyButton text={() => said} label={t('copy_message')} />
            <IconButton icon="edit" label={t('edit_message')} disabled={versions.isBusy} onClick={() => onEdit(true)} />
            <Versions {...versions} message={message} />
          </div>
        </>
      )}
    </article>
  );
}

/** Exactly as it was typed. */
export function UserText({ content }: { content: string }): JSX.Element {
  return (
    <ShowMore isLong={content.length > 1_500}>
      <div class="bubble" dir="auto">
        {content}
      </div>
    </ShowMore>
  );
}

interface WordingProps {
  message: Message;
  onCancel: () => void;
  onSend: (content: string) => void;
}

function Wording({ message, onCancel, onSend }: WordingProps): JSX.Element {
  const entry = useRef<HTMLTextAreaElement>(null);
  const { drafts } = workspace();
  const place = editPlace(message.id);
  // Another wording that was refused is there again.
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
  useLayoutEffect(() => void (entry.current && fit(entry.current)), [text]);
  useLayoutEffect(() => {
    entry.current?.focus();
    entry.current?.setSelectionRange(text.length, text.length);
  }, []);
  return (
    <form
      class="wording"
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
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Escape') cancel();
          if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
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
