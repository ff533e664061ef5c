import '../../styles/chat.css';
import '../../styles/message.css';
import '../../styles/composer.css';
import '../../styles/chat-list.css';
import '../../styles/markdown.css';
import type { JSX } from 'preact';
import { Redirect, Route, Switch } from 'wouter-preact';
import { texts } from '../../languages';
import { Layout } from '../../parts/layout';
import { ChatDialogs } from './chat-dialogs';
import { ChatSide } from './chat-side';
import { ConversationView } from './conversation-view';
import { NewChat } from './new-chat';
import { KeyHelp, useShortcuts } from './shortcuts';
import { Trash } from './trash';

const t = texts('chat');

/** The conversations at the side, and the one that is open. */
export function Chat(): JSX.Element {
  useShortcuts();
  return (
    <Layout aside={<ChatSide />} asideLabel={t('chats')}>
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
  return Number.isSafeInteger(id) && id > 0 ? <ConversationView key={id} id={id} /> : <Redirect to="/chat" replace />;
}
