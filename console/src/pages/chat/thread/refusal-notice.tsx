import { ConnectionError, isApiError } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { failureText } from '../../../app/failure-text';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Button, IconButton } from '../../../components/button';
import { Icon } from '../../../components/icon';
import type { Refusal } from '../state/open-chat/refusal';

const t = texts('chat');
const shell = texts('shell');

interface RefusalNoticeProps {
  refusal: Refusal;
  onClose: () => void;
}

/** Why a message was not taken, and what can be done. */
export function RefusalNotice({ refusal, onClose }: RefusalNoticeProps): JSX.Element {
  const { error, again } = refusal;
  // Before the browser draws: a network that is back in that moment would be missed.
  useLayoutEffect(() => {
    if (!again || !(error instanceof ConnectionError)) return undefined;
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [refusal]);
  return (
    <div class="notice danger refusal" role="alert">
      <Icon name="warning" />
      <div class="refusal-text">
        <p>{reason(refusal)}</p>
        <div class="row">{whatNext(refusal)}</div>
      </div>
      <IconButton icon="close" label={shell('close')} onClick={onClose} />
    </div>
  );
}

function reason({ error, again }: Refusal): string {
  // Why a reply failed comes as a sentence too.
  const isReplyError = typeof error === 'object' && error !== null && !(error instanceof Error) && 'message' in error;
  return isReplyError ? String(error.message) : failureText(error, again !== undefined);
}

function whatNext({ error, again }: Refusal): ComponentChildren {
  if (isApiError(error, 'QUOTA_EXCEEDED', 'BUDGET_EXCEEDED')) {
    const resetsAt = error.details['resets_at'];
    return (
      <>
        {typeof resetsAt === 'string' && <span class="soft">{t('quota_resets', { time: formatTime(resetsAt) })}</span>}
        <PlanLink text={t(error.code === 'QUOTA_EXCEEDED' ? 'see_plan' : 'see_budget')} />
      </>
    );
  }
  if (isApiError(error, 'MEMBERSHIP_REQUIRED')) return <PlanLink text={t('see_plan')} />;
  if (isApiError(error, 'AGENT_INACTIVE', 'CHAT_NOT_FOUND')) {
    return (
      <Link href="/chat" class="button">
        <Icon name="plus" />
        {t('new_chat')}
      </Link>
    );
  }
  if (!again || isApiError(error, 'CONTEXT_TOO_LONG', 'VALIDATION_ERROR', 'CONTENT_REFUSED', 'MODEL_NOT_PRICED'))
    return null;
  return (
    <Button icon="refresh" onClick={again}>
      {t('try_again')}
    </Button>
  );
}

/** Plan and budgets are on one page. */
function PlanLink({ text }: { text: string }): JSX.Element {
  return (
    <Link href="/account/usage" class="button">
      {text}
    </Link>
  );
}
