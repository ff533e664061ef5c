import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { Button } from '../../../components/button';
import { Icon } from '../../../components/icon';
import type { Message } from '../state/types';

const t = texts('chat');

interface ReplyEndProps {
  message: Message;
  isBusy: boolean;
  onAgain: () => void;
}

/** Explains why a reply is incomplete, and offers to regenerate it. */
export function ReplyEnd({ message, isBusy, onAgain }: ReplyEndProps): JSX.Element | null {
  const { status, finish_reason, error } = message;
  if (isEmpty(message)) {
    return (
      <div class="notice reply-end" role="group">
        <p>
          <Icon name="info" /> {t(finish_reason === 'length' ? 'no_text_length' : 'no_text')}
        </p>
        <Again isBusy={isBusy} onAgain={onAgain} />
      </div>
    );
  }
  if (status === 'failed') {
    return (
      <div class="notice danger reply-end" role="group">
        <p>
          <Icon name="warning" /> {error?.message ?? t('failed')}
        </p>
        <Again isBusy={isBusy} onAgain={onAgain} />
      </div>
    );
  }
  if (status === 'interrupted') {
    return (
      <div class="notice warning reply-end" role="group">
        <p>
          <Icon name="warning" /> {t('interrupted')}
        </p>
        <Again isBusy={isBusy} onAgain={onAgain} />
      </div>
    );
  }
  if (status === 'stopped') return <p class="soft reply-end">{t('stopped')}</p>;
  if (finish_reason === 'length') return <p class="soft reply-end">{t('cut_by_length')}</p>;
  if (finish_reason === 'tool_limit') return <p class="soft reply-end">{t('tool_limit')}</p>;
  if (finish_reason === 'action_expired') return <p class="soft reply-end">{t('action_expired')}</p>;
  if (finish_reason === 'content_filter') return <p class="soft reply-end">{t('cut_by_filter')}</p>;
  return null;
}

/** Whether the reply completed without visible content. */
function isEmpty({ status, content, parts }: Pick<Message, 'status' | 'content' | 'parts'>): boolean {
  return status === 'completed' && content.trim() === '' && !parts?.length;
}

function Again({ isBusy, onAgain }: { isBusy: boolean; onAgain: () => void }): JSX.Element {
  return (
    <Button icon="refresh" disabled={isBusy} onClick={onAgain}>
      {t('try_again')}
    </Button>
  );
}
