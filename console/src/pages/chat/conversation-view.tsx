import { useComputed, useSignal } from '@preact/signals';
import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { texts } from '../../languages';
import { useLoad } from '../../load';
import { Button } from '../../parts/button';
import { Icon } from '../../parts/icon';
import { useTitle } from '../../parts/page';
import { Empty, Failed, Loading } from '../../parts/states';
import { attempt } from '../../parts/toast';
import { AgentAvatar } from './agent-avatar';
import { ChatMenu } from './chat-menu';
import { Composer } from './composer';
import { MessageList } from './message-list';
import { RefusalNotice } from './refusal-notice';
import { useScrollToEnd } from './scrolling';
import type { Conversation } from './state/conversation';
import { workspace } from './state/workspace';

const t = texts('chat');

/** One conversation: its messages, and where the next one is written. */
export function ConversationView({ id }: { id: number }): JSX.Element {
  const { conversations } = workspace();
  const conversation = useMemo(() => conversations.open(id), [id]);
  const { error, reload } = useLoad(async () => {
    if (!conversation.stored.chat.peek()) await conversation.load();
    else await conversation.catchUp();
  }, [conversation]);
  useEffect(() => () => conversations.leave(conversation), [conversation]);
  if (conversation.stored.chat.value) return <Opened conversation={conversation} />;
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
    <Empty icon="search">
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

function Opened({ conversation }: { conversation: Conversation }): JSX.Element {
  const { scroller, content, isAtEnd, toEnd } = useScrollToEnd();
  const edited = useSignal<number | null>(null);
  const isWriting = useComputed(() => conversation.live.value !== null);
  const refusal = conversation.refusal.value;
  const line = conversation.line.value;
  const send = (text: string): void => {
    conversation.send(text);
    toEnd();
  };
  const editLast = (): void => {
    edited.value = line.findLast(({ message }) => message.role === 'user')?.message.id ?? null;
  };
  return (
    <div class="conversation">
      <Head conversation={conversation} />
      <div class="scroller" ref={scroller} tabIndex={-1}>
        <div class="messages" ref={content}>
          {line.length === 0 && !isWriting.value && <Opening conversation={conversation} onSend={send} />}
          <MessageList conversation={conversation} edited={edited} onSend={toEnd} />
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
          place={String(conversation.id)}
          returned={refusal?.content}
          isWriting={isWriting.value}
          isStopping={conversation.isStopping.value}
          onSend={send}
          onStop={() => void attempt(() => conversation.stop())}
          onUp={editLast}
        >
          {refusal && <RefusalNotice refusal={refusal} onClose={() => (conversation.refusal.value = null)} />}
        </Composer>
      </div>
      <p class="visually-hidden" aria-live="polite">
        {conversation.announcement.value}
      </p>
    </div>
  );
}

function Head({ conversation }: { conversation: Conversation }): JSX.Element | null {
  const chat = conversation.stored.chat.value;
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
          {chat.is_archived && <span class="badge">{t('in_archive')}</span>}
          {chat.tags.map((tag) => (
            <bdi key={tag} class="badge">
              {tag}
            </bdi>
          ))}
        </p>
      </div>
      <ChatMenu chat={chat} />
    </header>
  );
}

/** What the agent says in an empty conversation, and what one could ask. */
function Opening({
  conversation,
  onSend,
}: {
  conversation: Conversation;
  onSend: (text: string) => void;
}): JSX.Element {
  const agent = conversation.stored.chat.value?.agent ?? null;
  const words = agent?.opening_message ?? '';
  return (
    <div class="opening">
      <AgentAvatar agent={agent} />
      <p dir="auto">{words === '' ? t('begin') : words}</p>
      <Suggestions questions={agent?.suggested_questions ?? []} onChoose={onSend} />
    </div>
  );
}

export function Suggestions({
  questions,
  onChoose,
}: {
  questions: string[];
  onChoose: (question: string) => void;
}): JSX.Element | null {
  if (questions.length === 0) return null;
  return (
    <ul class="suggestions" aria-label={t('suggestions')}>
      {questions.map((question) => (
        <li key={question}>
          <button type="button" class="button" dir="auto" onClick={() => onChoose(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}
