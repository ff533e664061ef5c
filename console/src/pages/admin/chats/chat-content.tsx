import { ApiError, type ChatContentDto, type MessageDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { useAgents } from '../../../components/admin/agents';
import { AgentLink, UserLink } from '../../../components/admin/links';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Facts } from '../../../components/facts';
import { Form, TextField, textOf } from '../../../components/form/form';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { Empty } from '../../../components/states';
import { Time } from '../../../components/time';
import { TraceOf } from '../../../components/trace/trace-of';
import { UserText } from '../../../components/user-text';

const t = texts('admin');

/** The content of a user's chat. The administrator must enter a reason, which is first written to the audit log. */
export function ChatContent(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const [reason, setReason] = useState('');
  const [chat, setChat] = useState<ChatContentDto>();
  const [refusal, setRefusal] = useState<ApiError>();

  const read = async (why: string, before?: number): Promise<void> => {
    const { data } = await api.admin.chats.read({ path: { id }, query: { reason: why, before } });
    setReason(why);
    setChat((shown) => (shown && before ? { ...data, messages: [...data.messages, ...shown.messages] } : data));
  };

  return (
    <Page
      title={t('chat_number', { id: String(id) })}
      actions={
        <Link href="/admin/chats" class="button">
          <Icon name="back" />
          {t('page_chats')}
        </Link>
      }
    >
      {chat ? (
        <Content chat={chat} onOlder={(before) => read(reason, before)} />
      ) : refusal ? (
        <Empty icon="warning">
          <p role="alert">{refusal.message}</p>
          <p>{t('content_closed')}</p>
        </Empty>
      ) : (
        <div class="card stack narrow">
          <p>{t('content_hint')}</p>
          <Form
            action={t('read_chat')}
            onSubmit={async (entries) => {
              try {
                await read(textOf(entries, 'reason'));
              } catch (error) {
                if (!(error instanceof ApiError) || error.status !== 403) throw error;
                setRefusal(error);
              }
            }}
          >
            <TextField
              name="reason"
              label={t('reason')}
              hint={t('reason_hint')}
              required
              minLength={3}
              maxLength={500}
              autoComplete="off"
            />
          </Form>
        </div>
      )}
    </Page>
  );
}

function Content({ chat, onOlder }: { chat: ChatContentDto; onOlder: (before: number) => Promise<void> }): JSX.Element {
  const agents = useAgents();
  const [first] = chat.messages;
  return (
    <>
      <p class="notice warning">{t('content_audited')}</p>
      <Facts
        facts={[
          [t('chat_title'), <UserText key="title">{chat.title}</UserText>],
          [t('user'), <UserLink key="user" id={chat.user_id} name={chat.username} />],
          [t('agent'), <AgentLink key="agent" id={chat.agent_id} agents={agents} />],
          [t('created_at'), <Time key="created" at={chat.created_at} />],
        ]}
      />
      {chat.has_more_messages && first && (
        <Button onClick={() => void attempt(() => onOlder(first.id))}>{t('older_messages')}</Button>
      )}
      <ol class="transcript">
        {chat.messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </ol>
    </>
  );
}

function Message({ message }: { message: MessageDto }): JSX.Element {
  const { id, role, content, parts, created_at, model, status, is_current, error } = message;
  const isEmpty = status === 'completed' && content.trim() === '' && !parts?.length;
  return (
    <li class="card stack">
      <p class="row">
        <strong>{t(role === 'user' ? 'user' : 'agent')}</strong>
        <span class="soft">
          <Time at={created_at} />
        </span>
        {model && <Badge>{model}</Badge>}
        {status === 'failed' && <Badge tone="danger">{t('failed')}</Badge>}
        {!is_current && <Badge>{t('replaced')}</Badge>}
      </p>
      {isEmpty ? (
        <p class="soft">{t('no_text')}</p>
      ) : (
        <p class="written" dir="auto">
          {content}
        </p>
      )}
      {error && <p class="notice danger">{error.message}</p>}
      {role === 'assistant' && <Trace id={id} />}
    </li>
  );
}

/** The trace of a reply, including the providers' error messages. It is loaded on demand. */
function Trace({ id }: { id: number }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t('reply_trace')}</summary>
      {isOpen && (
        <TraceOf id={id} load={async () => (await api.admin.messages.readTrace({ path: { message_id: id } })).data} />
      )}
    </details>
  );
}
