import '../../styles/account.css';
import '../../styles/parts/aside.css';
import '../../styles/parts/figures.css';
import type { JSX } from 'preact';
import { Redirect, Route, Switch } from 'wouter-preact';
import { Layout } from '../../components/page/layout';
import { lazy } from '../../components/page/lazy';
import { Page } from '../../components/page/page';
import { SideLinks } from '../../components/page/side-links';
import { Data } from '../../pages/account/data';
import { Keys } from '../../pages/account/keys/keys';
import { Password } from '../../pages/account/password';
import { Profile } from '../../pages/account/profile';
import { Sessions } from '../../pages/account/sessions';
import { Settings } from '../../pages/account/settings';
import { Usage } from '../../pages/account/usage';
import { texts } from '../i18n/languages';
import { ACCOUNT_PAGES } from './account-pages';

const t = texts('account');
const shell = texts('shell');

const Approvals = lazy(async () => (await import('../../pages/inbox/approvals')).Approvals, 'acting');
const Connections = lazy(async () => (await import('../../pages/account/connections')).Connections, 'questions');
const OwnWebhooks = lazy(async () => (await import('../../pages/webhooks/own-webhooks')).OwnWebhooks, 'webhooks');

/** The pages of the user's own account. */
export function Account(): JSX.Element {
  const links = ACCOUNT_PAGES.map((page) => ({ href: `/account/${page}`, label: t(page) }));
  return (
    <Layout aside={<SideLinks links={links} />} asideLabel={t('account_pages')}>
      <Switch>
        <Route path="/account">
          <Redirect to="/account/profile" replace />
        </Route>
        <Route path="/account/profile" component={Profile} />
        <Route path="/account/settings" component={Settings} />
        <Route path="/account/password" component={Password} />
        <Route path="/account/sessions" component={Sessions} />
        <Route path="/account/approvals" component={Approvals} />
        <Route path="/account/connections" component={Connections} />
        <Route path="/account/usage" component={Usage} />
        <Route path="/account/keys" component={Keys} />
        <Route path="/account/webhooks/*?" component={OwnWebhooks} />
        <Route path="/account/data" component={Data} />
        <Route>
          <Page title={shell('no_such_page')}>{null}</Page>
        </Route>
      </Switch>
    </Layout>
  );
}
