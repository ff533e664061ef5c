import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Printed, usePrinting } from '../../../app/printing';
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

/** Number of messages rendered at first. More follow as the user scrolls up, and all of them for printing. */
const DRAWN_AT_FIRST = 30;

interface MessageListProps {
  openChat: OpenChat;
  /** Id of the user's message that is being edited. */
  edited: Signal<number | null>;
  /** Id of the message that a search has found; null if none. */
  found: number | null;
  onSend: () => void;
}

/** The current branch and the reply in progress. */
export function MessageList({ openChat, edited, found, onSend }: MessageListProps): JSX.Element {
  const [count, setCount] = useState(DRAWN_AT_FIRST);
  const isPrinting = usePrinting();
  const branch = openChat.branch.value;
  const live = openChat.reply.live.value;
  const liveId = live?.messageId.value ?? null;
  const foundAt = found === null ? -1 : branch.findIndex(({ message }) => message.id === found);
  const drawn = foundAt < 0 ? count : Math.max(count, branch.length - foundAt);
  const shown = isPrinting ? branch : branch.slice(-drawn);
  const hasMore = shown.length < branch.length || openChat.stored.hasOlder.value;
  const showMore = async (): Promise<void> => {
    if (shown.length === branch.length) await attempt(() => openChat.stored.readOlder());
    setCount(drawn + DRAWN_AT_FIRST);
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
  // One list with stable keys, so that a reply does not render again when it changes from live to stored.
  const items = shown.map(({ message, versions }, index) =>
    message.role === 'assistant' ? (
      <AssistantMessage
        key={message.id}
        {...shared}
        agent={agent}
        message={message}
        isFound={message.id === found}
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
        isFound={message.id === found}
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
        isFound={false}
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
    <Printed.Provider value={isPrinting}>
      {hasMore && <Earlier count={drawn} onShow={showMore} />}
      {openChat.stored.hasOlder.value && <p class="soft print-only">{t('export_partial')}</p>}
      {items}
    </Printed.Provider>
  );
}

/** The message that was just sent. */
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

/** Shows earlier messages when the user scrolls near the top. */
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
