import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { IconButton } from '../../../components/button';
import { CopyButton } from '../../../components/copy-button';
import type { Message } from '../state/types';
import { BranchPicker, type BranchPickerProps } from './branch-picker';
import { EditMessageForm } from './edit-message-form';
import { MessageParts, wordsOf } from './message-parts';
import { ShowMore } from './show-more';
import { messageElement } from './use-found-message';

const t = texts('chat');

interface UserMessageProps extends BranchPickerProps {
  message: Message;
  /** Whether a search has found it. */
  isFound: boolean;
  isEdited: boolean;
  onEdit: (isEdited: boolean) => void;
  onSend: (content: string) => void;
}

/** A message of the user, which can be edited and sent again. */
export function UserMessage({
  message,
  isFound,
  isEdited,
  onEdit,
  onSend,
  ...versions
}: UserMessageProps): JSX.Element {
  const said = wordsOf(message);
  return (
    <article id={messageElement(message.id)} class={`message user ${isFound ? 'found' : ''}`} aria-label={t('you')}>
      <h2 class="visually-hidden">{t('you')}</h2>
      {isEdited ? (
        <EditMessageForm message={message} onCancel={() => onEdit(false)} onSend={onSend} />
      ) : (
        <>
          {said !== '' && <UserBubble content={said} />}
          {message.parts && <MessageParts message={message} />}
          <div class="message-actions">
            <CopyButton text={() => said} label={t('copy_message')} />
            <IconButton icon="edit" label={t('edit_message')} disabled={versions.isBusy} onClick={() => onEdit(true)} />
            <BranchPicker {...versions} message={message} />
          </div>
        </>
      )}
    </article>
  );
}

/** Plain text, exactly as typed. */
export function UserBubble({ content }: { content: string }): JSX.Element {
  return (
    <ShowMore isLong={content.length > 1_500}>
      <div class="bubble" dir="auto">
        {content}
      </div>
    </ShowMore>
  );
}
