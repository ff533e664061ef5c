import '../../../styles/chat/chat.css';
import '../../../styles/chat/message.css';
import '../../../styles/chat/markdown.css';
import '../../../styles/chat/print.css';
import '../../../styles/parts/centred.css';
import { type Citation, isApiError, type SharedChatDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { Printed, usePrinting } from '../../../app/printing';
import { attempt } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { user, visit } from '../../../app/visit';
import { Button } from '../../../components/button';
import { Menu } from '../../../components/menu';
import { Layout } from '../../../components/page/layout';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { AgentAvatar } from '../agent-avatar';
import { useCitationParts } from '../citations/use-citation-parts';
import { Markdown } from '../markdown/markdown';
import { Parts, wordsOf } from '../thread/message-parts';
import { UserBubble } from '../thread/user-message';

const t = texts('share');
const chat = texts('chat');

const FORMATS = ['markdown', 'json'] as const;

type SharedMessage = SharedChatDto['messages'][number] & { citations?: Citation[] };

/** A shared conversation, which anyone with the link can read, signed in or not. */
export function SharedChat(): JSX.Element {
  const [path] = useLocation();
  const token = decodeURIComponent(path.slice('/shared/'.length));
  const loaded = useLoad(() => api.shared.read({ path: { token } }), [token, user.value?.id]);
  if (isApiError(loaded.error, 'UNAUTHORIZED')) return <SignInFirst path={path} />;
  return (
    <Layout isCentred={!user.value}>
      <Show loaded={loaded}>{(shared) => <Conversation token={token} path={path} shared={shared} />}</Show>
    </Layout>
  );
}

function SignInFirst({ path }: { path: string }): JSX.Element {
  return (
    <Layout isCentred>
      <Page title={t('shared')} narrow>
        <p>{t('sign_in_note')}</p>
        <SignIn path={path} text={t('sign_in')} />
      </Page>
    </Layout>
  );
}

/** A sign-in link that returns to the current page. */
function SignIn({ path, text }: { path: string; text: string }): JSX.Element {
  return (
    <Link class="button primary" href="/sign-in" onClick={() => (visit().wantedPath = path)}>
      {text}
    </Link>
  );
}

interface ConversationProps {
  token: string;
  path: string;
  shared: SharedChatDto;
}

function Conversation({ token, path, shared }: ConversationProps): JSX.Element {
  const [, navigate] = useLocation();
  const goOn = async (): Promise<void> => {
    await attempt(async () => navigate(`/chat/${(await api.shared.continue({ path: { token } })).id}`));
  };
  const isPrinting = usePrinting();
  const name = shared.agent_name ?? chat('assistant');
  return (
    <Page title={shared.title}>
      <div class="row spread">
        <p class="soft">{t('shared_note')}</p>
        <ExportMenu shared={shared} />
      </div>
      {shared.has_more_messages && <p class="soft">{t('earlier')}</p>}
      {shared.messages.length === 0 && <p>{t('empty')}</p>}
      <Printed.Provider value={isPrinting}>
        <div class="messages">
          {shared.messages.map((message, index) => (
            <Message key={index} message={message} name={name} token={token} />
          ))}
        </div>
      </Printed.Provider>
      <div class="row">
        {user.value ? (
          <>
            <Button kind="primary" onClick={() => void goOn()}>
              {t('go_on')}
            </Button>
            <span class="soft">{t('go_on_note')}</span>
          </>
        ) : (
          <SignIn path={path} text={t('sign_in_to_go_on')} />
        )}
      </div>
    </Page>
  );
}

function ExportMenu({ shared }: { shared: SharedChatDto }): JSX.Element {
  return (
    <Menu
      icon="download"
      label={t('export')}
      items={FORMATS.map((format) => ({
        label: chat(`export_${format}`),
        onSelect: () => void attempt(async () => (await import('../export/export-chat')).exportShared(shared, format)),
      }))}
    />
  );
}

interface MessageProps {
  message: SharedMessage;
  name: string;
  token: string;
}

function Message({ message, name, token }: MessageProps): JSX.Element {
  const isReply = message.role === 'assistant';
  const words = wordsOf(message);
  const title = isReply ? name : t('question');
  return (
    <article class={`message ${isReply ? 'reply' : 'user'}`} aria-label={title}>
      {isReply ? (
        <div class="reply-head">
          <AgentAvatar agent={{ name, avatar: '' }} />
          <h2>
            <bdi>{name}</bdi>
          </h2>
        </div>
      ) : (
        <h2 class="visually-hidden">{title}</h2>
      )}
      {isReply ? <Reply message={message} /> : words !== '' && <UserBubble content={words} />}
      {message.parts && <Parts parts={message.parts} read={(hash) => api.shared.readFile({ path: { token, hash } })} />}
    </article>
  );
}

/** The text of a reply. The index of a citation counts in `content`. */
function Reply({ message }: { message: SharedMessage }): JSX.Element {
  const { content, citations = [] } = message;
  const cited = useCitationParts(citations.length > 0);
  if (!cited) return <Markdown text={wordsOf(message)} />;
  return (
    <>
      <cited.CitedText text={content} from={0} citations={citations} canOpen={false} />
      <cited.Sources citations={citations} canOpen={false} />
    </>
  );
}
