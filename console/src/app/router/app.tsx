import { Fragment, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { OpenQuestion } from '../../components/dialog';
import { Icon } from '../../components/icon';
import { Layout } from '../../components/page/layout';
import { lazy } from '../../components/page/lazy';
import { Empty, Loading } from '../../components/states';
import { Toasts } from '../../components/toasts';
import { texts } from '../i18n/languages';
import { AUTH_PATHS, BASE, mayGoOn, Returned } from '../session';
import { isAdministrator, presentVisit, user, visit } from '../visit';
import { PaletteHost } from './palette/palette-host';

const t = texts('shell');

const Auth = lazy(async () => (await import('../../pages/auth/auth')).Auth, 'auth');
const Chat = lazy(async () => (await import('../../pages/chat/chat')).Chat, 'chat');
const Knowledge = lazy(async () => (await import('../../pages/knowledge/knowledge')).Knowledge, 'knowledge', 'table');
const Inbox = lazy(async () => (await import('../../pages/inbox/inbox')).Inbox, 'acting');
const Shared = lazy(async () => (await import('../../pages/chat/share/shared-chat')).SharedChat, 'chat', 'share');
const Account = lazy(async () => (await import('./account')).Account, 'account', 'table');
const Device = lazy(async () => (await import('../../pages/device/device')).Device, 'device');
const FeaturePage = lazy(async () => (await import('../../pages/feature/feature-page')).FeaturePage);
const Administration = lazy(async () => (await import('./administration')).Administration, 'admin', 'table');

/** Starts to load the code of the most likely page while the session is being restored. */
export function preloadPage(): void {
  const path = location.pathname.slice(BASE.length);
  if (isShared(path)) void Shared.preload();
  else if (!mayGoOn()) void Auth.preload();
  else if (path === '/inbox') void Inbox.preload();
  else if (path.startsWith('/knowledge')) void Knowledge.preload();
  else if (path === '/device') void Device.preload();
  else if (path.startsWith('/account')) void Account.preload();
  else if (path.startsWith('/admin')) void Administration.preload();
  else void Chat.preload();
}

/** After a navigation, the data from the bootstrap response may be outdated. The router dispatches the event. */
function useFirstPageOnly(): void {
  useEffect(() => {
    const forget = (): void => visit().start.forget();
    addEventListener('pushState', forget);
    return () => removeEventListener('pushState', forget);
  }, []);
}

/** All pages. A visitor who is not signed in sees the sign-in page, and returns to the requested page afterwards. */
export function App(): JSX.Element {
  useFirstPageOnly();
  useEffect(() => {
    const { connecting } = visit().part(Returned);
    if (connecting) void import('../../components/acting/questions/connecting').then((told) => told.tell(connecting));
  }, []);
  return (
    // The key discards all elements rendered for the previous user.
    <Fragment key={presentVisit.value}>
      <Pages />
      <PaletteHost />
      <OpenQuestion />
      <Toasts />
    </Fragment>
  );
}

/** Whether the page is open to anyone with a link, signed in or not. */
function isShared(path: string): boolean {
  return path.startsWith('/shared/');
}

function Pages(): JSX.Element {
  const [path] = useLocation();
  if (user.value === undefined) return <Loading />;
  if (isShared(path)) return <Shared />;
  if (user.value === null) return <Auth />;
  return (
    <Switch>
      <Route path="/chat/*?" component={Chat} />
      <Route path="/knowledge/*?" component={Knowledge} />
      <Route path="/inbox" component={Inbox} />
      <Route path="/account/*?" component={Account} />
      <Route path="/device" component={Device} />
      <Route path="/pages/*" component={FeaturePage} />
      <Route path="/admin/*?">
        {isAdministrator() ? <Administration /> : <Missing text={t('administrators_only')} />}
      </Route>
      <Route>
        {AUTH_PATHS.includes(path) ? (
          <Redirect to={visit().wantedPath} replace />
        ) : (
          <Missing text={t('no_such_page')} />
        )}
      </Route>
    </Switch>
  );
}

function Missing({ text }: { text: string }): JSX.Element {
  return (
    <Layout>
      <Empty>
        <h1 tabIndex={-1}>{text}</h1>
        <a class="button" href="/console/chat">
          <Icon name="back" />
          {t('chat')}
        </a>
      </Empty>
    </Layout>
  );
}
