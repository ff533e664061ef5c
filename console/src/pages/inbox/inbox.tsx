import type { ActionDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../app/api';
import { Inbox as WaitingActions } from '../../app/feed/inbox';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { user, visit } from '../../app/visit';
import { ActionCard } from '../../components/acting/action-card';
import type { Wish } from '../../components/acting/wish';
import { Layout } from '../../components/page/layout';
import { Page } from '../../components/page/page';
import { Empty, Failed, Loading } from '../../components/states';

const t = texts('acting');

/** All actions that wait for the user's decision. */
export function Inbox(): JSX.Element {
  const inbox = visit().part(WaitingActions);
  const { error, reload } = useLoad(() => inbox.read(), [inbox]);
  const waiting = inbox.waiting.value;
  const decide = async (action: ActionDto, wish: Wish): Promise<void> => {
    try {
      await send(action, wish);
    } catch (failure) {
      inbox.catchUp();
      throw failure;
    }
    inbox.forget(action.id);
    toast(t('decided'));
  };
  return (
    <Layout>
      <Page title={t('inbox')}>
        <p class="soft">{t('inbox_hint')}</p>
        {waiting?.map((action) => (
          <ActionCard
            key={action.id}
            action={action}
            place={<Place action={action} />}
            onDecide={(wish) => decide(action, wish)}
          />
        ))}
        {waiting?.length === 0 && <Empty icon="check">{t('inbox_empty')}</Empty>}
        {!waiting && (error ? <Failed error={error} retry={reload} /> : <Loading />)}
      </Page>
    </Layout>
  );
}

/** In the user's own chat, the first event confirms the decision. The reply continues without this stream. */
async function send({ chat_id, id: action_id, user_id }: ActionDto, wish: Wish): Promise<void> {
  if (user_id === user.value?.id) {
    for await (const _event of api.decide({ chat_id, action_id, ...wish })) return;
  } else await api.chat.actions.decide({ path: { chat_id, action_id }, body: wish });
}

/** Whose conversation it is. Users can open only their own. */
function Place({ action: { chat_id, user_id } }: { action: ActionDto }): JSX.Element {
  if (user_id !== user.value?.id) return <p class="soft">{t('asked_by', { id: String(user_id) })}</p>;
  return (
    <p>
      <Link href={`/chat/${chat_id}`}>{t('open_chat')}</Link>
    </p>
  );
}
