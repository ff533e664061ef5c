import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Button, IconButton } from '../../../components/button';
import { Form, TextArea, textOf } from '../../../components/form/form';
import type { Message } from '../state/types';

const t = texts('chat');
const shell = texts('shell');

interface FeedbackProps {
  message: Message;
  onRate: (rating: 'like' | 'dislike' | null, comment?: string) => Promise<boolean>;
}

/** Thumbs up or down, with an optional reason. */
export function Feedback({ message, onRate }: FeedbackProps): JSX.Element {
  const [isAsking, setIsAsking] = useState(false);
  const given = message.feedback?.rating ?? null;
  const rate = async (rating: 'like' | 'dislike'): Promise<void> => {
    const isTakenBack = rating === given;
    if (await onRate(isTakenBack ? null : rating)) setIsAsking(!isTakenBack);
  };
  return (
    <>
      <IconButton icon="thumbUp" label={t('like')} aria-pressed={given === 'like'} onClick={() => void rate('like')} />
      <IconButton
        icon="thumbDown"
        label={t('dislike')}
        aria-pressed={given === 'dislike'}
        onClick={() => void rate('dislike')}
      />
      {isAsking && given && (
        <div class="card comment">
          <Form
            action={t('send_comment')}
            onSubmit={async (entries) => {
              if (await onRate(given, textOf(entries, 'comment').trim())) setIsAsking(false);
            }}
            beside={<Button onClick={() => setIsAsking(false)}>{shell('close')}</Button>}
          >
            <TextArea
              label={t(given === 'like' ? 'why_like' : 'why_dislike')}
              name="comment"
              rows={2}
              maxLength={2000}
              defaultValue={message.feedback?.comment ?? ''}
              dir="auto"
            />
          </Form>
        </div>
      )}
    </>
  );
}
