import '../../styles/auth.css';
import type { SignInProvidersDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Route, Switch, useLocation } from 'wouter-preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { AUTH_PATHS } from '../../app/session';
import { useLoad } from '../../app/use-load';
import { visit } from '../../app/visit';
import { Layout } from '../../components/page/layout';
import { Show } from '../../components/states';
import { Register } from './register';
import { ResetPassword } from './reset-password';
import { SetUp, SetUpToken } from './set-up';
import { SignIn } from './sign-in';

const t = texts('auth');

/** While the service does not say how people sign in. */
const USUAL_WAYS: SignInProvidersDto = { password_login: 'everyone', providers: [] };

/**
 * What somebody sees who is not signed in, whatever the address; the address wanted is kept. A new installation has
 * nobody yet who could sign in, so the first administrator comes before everything else.
 */
export function Auth(): JSX.Element {
  const [path, navigate] = useLocation();
  const setup = useLoad(async () => {
    const [status, ways] = await Promise.all([api.setup.status(), api.auth.listProviders().catch(() => USUAL_WAYS)]);
    return { ...status, ways };
  }, []);
  const { text: token } = visit().part(SetUpToken);
  const isNew = setup.data?.needs_administrator === true;

  useEffect(() => {
    if (!AUTH_PATHS.includes(path)) visit().wantedPath = path + location.search;
  }, [path]);
  useEffect(() => {
    if (isNew && path !== '/setup') navigate('/setup', { replace: true });
  }, [isNew, path]);

  return (
    <Layout>
      <Show loaded={setup}>
        {({ is_allowed_here, ways }) =>
          isNew ? (
            <SetUp token={token} isAllowedHere={is_allowed_here} onCheckAgain={setup.reload} />
          ) : (
            <Pages ways={ways} />
          )
        }
      </Show>
      {!isSecureContext && (
        <div class="page narrow">
          <p class="notice">{t('unencrypted')}</p>
        </div>
      )}
    </Layout>
  );
}

function Pages({ ways }: { ways: SignInProvidersDto }): JSX.Element {
  return (
    <Switch>
      {ways.password_login === 'everyone' && <Route path="/register" component={Register} />}
      {ways.password_login !== 'off' && <Route path="/reset-password" component={ResetPassword} />}
      <Route path="/setup">
        <SignIn ways={ways} notice={t('set_up_done')} />
      </Route>
      <Route>
        <SignIn ways={ways} />
      </Route>
    </Switch>
  );
}
