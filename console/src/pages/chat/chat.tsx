import '../../styles/parts/aside.css';
import '../../styles/chat/chat.css';
import '../../styles/chat/message.css';
import '../../styles/chat/composer.css';
import '../../styles/chat/sidebar.css';
import '../../styles/chat/markdown.css';
import '../../styles/chat/print.css';
import type { JSX } from 'preact';
import { Redirect, Route, Switch } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import { Layout } from '../../components/page/layout';
import { lazy } from '../../components/page/lazy';
import { NewChat } from './new-chat';
import { KeyHelp, useShortcuts } from './shortcuts';
import { ChatDialogs } from './sidebar/chat-dialogs';
import { Sidebar } from './sidebar/sidebar';
import { Thread } from './thread/thread';

const t = texts('chat');

const Trash = lazy(async () => (await import('./trash')).Trash);

/** The chat page: the list of chats and the open chat. */
export function Chat(): JSX.Element {
  useShortcuts();
  return (
    <Layout aside={<Sidebar />} asideLabel={t('chats')}>
      <Switch>
        <Route path="/chat" component={NewChat} />
        <Route path="/chat/trash" component={Trash} />
        <Route path="/chat/:id">{({ id }) => <AtNumber id={Number(id)} />}</Route>
        <Route>
          <Redirect to="/chat" replace />
        </Route>
      </Switch>
      <ChatDialogs />
      <KeyHelp />
    </Layout>
  );
}

function AtNumber({ id }: { id: number }): JSX.Element {
  return Number.isSafeInteger(id) && id > 0 ? <Thread key={id} id={id} /> : <Redirect to="/chat" replace />;
}
