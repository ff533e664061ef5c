import { useComputed, useSignal } from '@preact/signals';
import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Icon } from '../../../components/icon';
import { lazy } from '../../../components/page/lazy';
import { useTitle } from '../../../components/page/page';
import { Empty, Failed, Loading } from '../../../components/states';
import { UserText } from '../../../components/user-text';
import { AgentAvatar } from '../agent-avatar';
import { Composer } from '../composer/composer';
import { ChatMenu } from '../sidebar/chat-menu';
import { changeChat } from '../state/chat-actions';
import type { NewMessage } from '../state/open-chat/live-reply';
import type { OpenChat } from '../state/open-chat/open-chat';
import { workspace } from '../state/workspace';
import { MessageList } from './message-list';
import { RefusalNotice } from './refusal-notice';
import { Suggestions } from './suggestions';
import { useFoundMessage } from './use-found-message';
import { usePrint } from './use-print';
import { useScrollToEnd } from './use-scroll-to-end';

const t = texts('chat');

const PassagePanel = lazy(async () => (await import('../citations/passage-panel')).PassagePanel, 'knowledge');

/** An open chat: its messages and the message input. */
export function Thread({ id }: { id: number }): JSX.Element {
  const { openChats } = workspace();
  const openChat = useMemo(() => openChats.open(id), [id]);
  const { error, reload } = useLoad(async () => {
    if (!openChat.stored.chat.peek()) await openChat.load();
    else await openChat.catchUp();
  }, [openChat]);
  useEffect(() => () => openChats.leave(openChat), [openChat]);
  if (openChat.stored.chat.value) return <Opened openChat={openChat} />;
  if (isApiError(error, 'CHAT_NOT_FOUND')) return <Missing />;
  if (!error) return <Loading />;
  return (
    <>
      <h1 class="visually-hidden">{t('chats')}</h1>
      <Failed error={error} retry={reload} />
    </>
  );
}

function Missing(): JSX.Element {
  return (
    <Empty>
      <h1 tabIndex={-1}>{t('no_such_chat')}</h1>
      <div class="row">
        <Link href="/chat/trash" class="button">
          <Icon name="trash" />
          {t('trash')}
        </Link>
        <Link href="/chat" class="button primary">
          <Icon name="plus" />
          {t('new_chat')}
        </Link>
      </div>
    </Empty>
  );
}

function Opened({ openChat }: { openChat: OpenChat }): JSX.Element {
  const { scroller, content, isAtEnd, toEnd } = useScrollToEnd();
  const edited = useSignal<number | null>(null);
  const isWriting = useComputed(() => openChat.reply.live.value !== null);
  const refusal = openChat.reply.refusal.value;
  const branch = openChat.branch.value;
  const found = useFoundMessage(openChat, isAtEnd);
  const send = (message: NewMessage): void => {
    openChat.send(message);
    toEnd();
  };
  const { passage } = workspace();
  useEffect(() => () => void (passage.value = null), [openChat]);
  const editLast = (): void => {
    edited.value = branch.findLast(({ message }) => message.role === 'user')?.message.id ?? null;
  };
  return (
    <div class={passage.value ? 'conversation beside' : 'conversation'}>
      <Head openChat={openChat} />
      <div class="scroller" ref={scroller} tabIndex={-1}>
        <div class="messages" ref={content}>
          {branch.length === 0 && !isWriting.value && (
            <Opening openChat={openChat} onSend={(content) => send({ content, files: [] })} />
          )}
          <MessageList openChat={openChat} edited={edited} found={found} onSend={toEnd} />
        </div>
      </div>
      <div class="below">
        {!isAtEnd.value && (
          <div class="to-end">
            <Button icon="arrowDown" onClick={toEnd}>
              {t('to_end')}
            </Button>
          </div>
        )}
        <Composer
          place={String(openChat.id)}
          agent={openChat.stored.chat.value?.agent ?? null}
          returned={refusal?.message}
          isWriting={isWriting.value}
          isStopping={openChat.reply.isStopping.value}
          onSend={send}
          onStop={() => void attempt(() => openChat.reply.stop())}
          onUp={editLast}
          knowledge={openChat.stored.chat.value?.knowledge}
          onKnowledge={(knowledge) => changeChat(openChat.id, { knowledge })}
        >
          {refusal && <RefusalNotice refusal={refusal} onClose={() => (openChat.reply.refusal.value = null)} />}
        </Composer>
      </div>
      <p class="visually-hidden" aria-live="polite">
        {openChat.reply.announcement.value}
      </p>
      {passage.value && <PassagePanel citation={passage.value} onClose={() => (passage.value = null)} />}
    </div>
  );
}

function Head({ openChat }: { openChat: OpenChat }): JSX.Element | null {
  const chat = openChat.stored.chat.value;
  const print = usePrint(openChat);
  useTitle(chat?.title ?? t('chats'));
  if (!chat) return null;
  return (
    <header class="chat-head">
      <AgentAvatar agent={chat.agent} />
      <div class="chat-names">
        <h1 tabIndex={-1} title={chat.title}>
          <bdi>{chat.title}</bdi>
        </h1>
        <p class="soft">
          {chat.agent && <bdi>{chat.agent.name}</bdi>}
          {chat.is_archived && <Badge>{t('in_archive')}</Badge>}
          {chat.tags.map((tag) => (
            <Badge key={tag}>
              <UserText>{tag}</UserText>
            </Badge>
          ))}
        </p>
      </div>
      <ChatMenu chat={chat} onPrint={print} />
    </header>
  );
}

/** The agent's greeting and suggested questions in an empty chat. */
function Opening({ openChat, onSend }: { openChat: OpenChat; onSend: (text: string) => void }): JSX.Element {
  const agent = openChat.stored.chat.value?.agent ?? null;
  const words = agent?.opening_message ?? '';
  return (
    <div class="opening">
      <AgentAvatar agent={agent} />
      <p dir="auto">{words === '' ? t('begin') : words}</p>
      <Suggestions questions={agent?.suggested_questions ?? []} onChoose={onSend} />
    </div>
  );
}
