import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import type { Wish } from '../../../components/acting/wish';
import { Button } from '../../../components/button';
import { AttachmentList } from '../attachments/attachment-list';
import type { BranchMessage } from '../state/open-chat/branch';
import type { LiveReply } from '../state/open-chat/live-reply';
import type { OpenChat } from '../state/open-chat/open-chat';
import type { Action } from '../state/types';
import { AssistantMessage } from './assistant-message';
import { UserBubble, UserMessage } from './user-message';

const t = texts('chat');

/** So many messages are drawn at first; more when the reader scrolls up to them. */
const DRAWN_AT_FIRST = 30;

interface MessageListProps {
  openChat: OpenChat;
  /** Which of the person's messages is being changed. */
  edited: Signal<number | null>;
  onSend: () => void;
}

/** The current branch, and the reply that is being written. */
export function MessageList({ openChat, edited, onSend }: MessageListProps): JSX.Element {
  const [count, setCount] = useState(DRAWN_AT_FIRST);
  const branch = openChat.branch.value;
  const live = openChat.reply.live.value;
  const liveId = live?.messageId.value ?? null;
  const shown = branch.slice(-count);
  const hasMore = shown.length < branch.length || openChat.stored.hasOlder.value;
  const showMore = async (): Promise<void> => {
    if (shown.length === branch.length) await attempt(() => openChat.stored.readOlder());
    setCount(count + DRAWN_AT_FIRST);
  };
  const agent = openChat.stored.chat.value?.agent ?? null;
  const again = (message: BranchMessage['message']): void => {
    openChat.regenerate(message);
    onSend();
  };
  const actionsOf = (messageId: number | null): Action[] =>
    openChat.stored.actions.value.filter((action) => action.message_id === messageId);
  const shared = {
    onDecide: (action: Action, wish: Wish) => openChat.decide(action, wish),
    isBusy: live !== null,
    onVersion: async (version: BranchMessage['message']) => {
      await attempt(() => openChat.showVersion(version));
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`#versions-${version.id} :enabled`)?.focus());
    },
  };
  // One list, in which a reply keeps its place when it is no longer written but stored: nothing is drawn again.
  const items = shown.map(({ message, versions }, index) =>
    message.role === 'assistant' ? (
      <AssistantMessage
        key={message.id}
        {...shared}
        agent={agent}
        message={message}
        live={null}
        actions={actionsOf(message.id)}
        versions={versions}
        isLast={index === shown.length - 1 && !live}
        onAgain={() => again(message)}
        onRate={(rating, comment) => attempt(() => openChat.rate(message, rating, comment))}
      />
    ) : (
      <UserMessage
        key={message.id}
        {...shared}
        message={message}
        versions={versions}
        isEdited={edited.value === message.id}
        onEdit={(isEdited) => (edited.value = isEdited ? message.id : null)}
        onSend={(content) => {
          edited.value = null;
          openChat.edit(message, content);
          onSend();
        }}
      />
    ),
  );
  if (live?.content || live?.files.length) items.push(<Sent key="new" live={live} />);
  if (live) {
    items.push(
      <AssistantMessage
        key={liveId ?? 'reply'}
        {...shared}
        agent={agent}
        message={null}
        live={live}
        actions={actionsOf(liveId)}
        versions={[]}
        isLast
        onAgain={() => undefined}
        onRate={() => Promise.resolve(false)}
      />,
    );
  }
  return (
    <>
      {hasMore && <Earlier count={count} onShow={showMore} />}
      {items}
    </>
  );
}

/** What was sent a moment ago. */
function Sent({ live: { content, files, messageId } }: { live: LiveReply }): JSX.Element {
  return (
    <article class="message user" aria-label={t('you')}>
      <h2 class="visually-hidden">{t('you')}</h2>
      {content && <UserBubble content={content} />}
      {files.length > 0 && <AttachmentList files={files} />}
      {files.length > 0 && messageId.value === null && (
        <p class="soft sending" role="status">
          <span class="spinner" />
          {t('sending_files')}
        </p>
      )}
    </article>
  );
}

/** Shows earlier messages as soon as the reader comes near. */
function Earlier({ count, onShow }: { count: number; onShow: () => Promise<void> }): JSX.Element {
  const start = useRef<HTMLDivElement>(null);
  const isBusy = useSignal(false);
  const show = async (): Promise<void> => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    await onShow();
    isBusy.value = false;
  };
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void show(), {
      rootMargin: '300px',
    });
    if (start.current) observer.observe(start.current);
    return () => observer.disconnect();
  }, [count]);
  return (
    <div ref={start} class="earlier">
      <Button kind="quiet" busy={isBusy.value} onClick={() => void show()}>
        {t('earlier_messages')}
      </Button>
    </div>
  );
}
