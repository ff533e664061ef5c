import { ConnectionError, isApiError } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { failureText } from '../../../app/failure-text';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { isAdministrator } from '../../../app/visit';
import { Button, IconButton } from '../../../components/button';
import { Icon } from '../../../components/icon';
import type { Refusal } from '../state/open-chat/refusal';
import { workspace } from '../state/workspace';

const t = texts('chat');
const shell = texts('shell');

interface RefusalNoticeProps {
  refusal: Refusal;
  onClose: () => void;
}

/** Explains why a message was refused, and offers a solution. */
export function RefusalNotice({ refusal, onClose }: RefusalNoticeProps): JSX.Element {
  const { error, again } = refusal;
  // A layout effect runs before the paint, so that it does not miss an `online` event.
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
  // A failed reply includes its own message.
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
  if (isApiError(error, 'AGENT_INACTIVE', 'CHAT_NOT_FOUND')) return <NewChatLink />;
  if (isApiError(error, 'MODEL_NOT_PRICED')) return <OtherModel isPriceless={error.details['reason'] === 'no_price'} />;
  if (!again || isApiError(error, 'CONTEXT_TOO_LONG', 'VALIDATION_ERROR', 'CONTENT_REFUSED')) return null;
  return (
    <Button icon="refresh" onClick={again}>
      {t('try_again')}
    </Button>
  );
}

/** A link to a new chat, where the user can choose another agent. */
function NewChatLink(): JSX.Element {
  return (
    <Link href="/chat" class="button" onClick={() => workspace().agents.forget()}>
      <Icon name="plus" />
      {t('new_chat')}
    </Link>
  );
}

/** Another agent may use a model with a price, or an administrator can add one. */
function OtherModel({ isPriceless }: { isPriceless: boolean }): JSX.Element {
  return (
    <>
      <NewChatLink />
      {isPriceless && isAdministrator() && (
        <Link href="/admin/prices" class="button">
          {t('add_price')}
        </Link>
      )}
    </>
  );
}

/** The page shows both the plan and the budgets. */
function PlanLink({ text }: { text: string }): JSX.Element {
  return (
    <Link href="/account/usage" class="button">
      {text}
    </Link>
  );
}
