import { Fragment, type JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import type { Wish } from '../../../components/acting/wish';
import { IconButton } from '../../../components/button';
import { CopyButton } from '../../../components/copy-button';
import { lazy } from '../../../components/page/lazy';
import { AgentAvatar } from '../agent-avatar';
import { useCitationParts } from '../citations/use-citation-parts';
import { Markdown } from '../markdown/markdown';
import type { LiveReply } from '../state/open-chat/live-reply';
import { callsOf, segmentsOf, type ShownCall } from '../state/open-chat/shown-call';
import type { Action, Agent, Message } from '../state/types';
import { BranchPicker, type BranchPickerProps } from './branch-picker';
import { Feedback } from './feedback';
import { hasOtherParts, MessageParts } from './message-parts';
import { ReplyEnd } from './reply-end';
import { ReplyFacts } from './reply-facts';
import { messageElement } from './use-found-message';

const t = texts('chat');

const CallList = lazy(async () => (await import('../../../components/acting/call-list')).CallList, 'acting');
const Actions = lazy(async () => (await import('./actions')).Actions, 'acting');

interface AssistantMessageProps extends BranchPickerProps {
  agent: Agent | null;
  /** The stored reply; null while it is in progress. */
  message: Message | null;
  /** The reply in progress. */
  live: LiveReply | null;
  /** Pending actions of the reply. */
  actions: Action[];
  isLast: boolean;
  /** Whether a search has found it. */
  isFound: boolean;
  onAgain: () => void;
  onDecide: (action: Action, wish: Wish) => Promise<void>;
  onRate: (rating: 'like' | 'dislike' | null, comment?: string) => Promise<boolean>;
}

/** A reply, stored or in progress. Both render the same elements, so that nothing moves when the reply ends. */
export function AssistantMessage({
  agent,
  message,
  live,
  actions,
  isLast,
  isFound,
  onAgain,
  onDecide,
  onRate,
  ...versions
}: AssistantMessageProps): JSX.Element {
  const text = live?.text.value ?? message?.content ?? '';
  const reasoning = live?.reasoning.value ?? message?.reasoning ?? '';
  const calls = live?.calls.value ?? callsOf(message);
  const citations = live?.citations.value ?? message?.citations ?? [];
  const cited = useCitationParts(citations.length > 0);
  let length = 0;
  const name = agent?.name ?? t('assistant');
  return (
    <article
      id={message ? messageElement(message.id) : undefined}
      class={`message reply ${isLast ? 'last' : ''} ${isFound ? 'found' : ''}`}
      aria-label={name}
      aria-busy={live !== null}
    >
      <div class="reply-head">
        <AgentAvatar agent={agent} />
        <h2>
          <bdi>{name}</bdi>
        </h2>
      </div>
      {reasoning !== '' && <Reasoning text={reasoning} isRunning={live !== null && text === ''} />}
      {segmentsOf(text, calls).map((segment, index) => {
        const from = length;
        length += segment.text.length;
        return (
          <Fragment key={index}>
            {cited ? (
              <cited.CitedText text={segment.text} from={from} citations={citations} canOpen />
            ) : (
              <Markdown text={segment.text} />
            )}
            {segment.calls.length > 0 && (
              <CallList calls={segment.calls} isLive={live !== null} isWaiting={actions.length > 0} />
            )}
          </Fragment>
        );
      })}
      {cited && <cited.Sources citations={citations} canOpen />}
      {actions.length > 0 && <Actions actions={actions} onDecide={onDecide} isLive={live !== null} />}
      {live && <Progress live={live} isSilent={isSilent(text, reasoning, calls)} />}
      {message && !live && (
        <>
          {hasOtherParts(message) && <MessageParts message={message} />}
          <ReplyEnd message={message} isBusy={versions.isBusy} onAgain={onAgain} />
          <div class="message-actions">
            {message.content !== '' && <CopyButton text={() => message.content} label={t('copy_message')} />}
            <IconButton icon="refresh" label={t('regenerate')} disabled={versions.isBusy} onClick={onAgain} />
            <BranchPicker {...versions} message={message} />
            <Feedback message={message} onRate={onRate} />
            <ReplyFacts message={message} />
          </div>
        </>
      )}
    </article>
  );
}

/** Whether nothing has arrived yet, or nothing since the last tool result. */
function isSilent(text: string, reasoning: string, calls: ShownCall[]): boolean {
  const last = calls.at(-1);
  return last ? last.offset === text.length && last.result !== null : text === '' && reasoning === '';
}

function Reasoning({ text, isRunning }: { text: string; isRunning: boolean }): JSX.Element {
  return (
    <details class="reasoning">
      <summary>{t(isRunning ? 'thinking' : 'thoughts')}</summary>
      <Markdown text={text} />
    </details>
  );
}

function Progress({ live, isSilent }: { live: LiveReply; isSilent: boolean }): JSX.Element | null {
  if (!live.isConnected.value) return <Lost />;
  return isSilent ? (
    <div class="waiting" role="img" aria-label={t('is_writing')}>
      <span />
      <span />
      <span />
    </div>
  ) : null;
}

/** The style sheet shows it after some seconds, so that a short interruption stays unnoticed. */
function Lost(): JSX.Element {
  return (
    <p class="lost soft">
      <span class="spinner" /> {t('connecting')}
    </p>
  );
}
