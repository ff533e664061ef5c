import '../../styles/auth.css';
import '../../styles/parts/centred.css';
import type { SignInProvidersDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Route, Switch, useLocation } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import { AUTH_PATHS } from '../../app/session';
import { SignInPage } from '../../app/sign-in-page';
import { useLoad } from '../../app/use-load';
import { visit } from '../../app/visit';
import { Layout } from '../../components/page/layout';
import { Show } from '../../components/states';
import { Register } from './register';
import { ResetPassword } from './reset-password';
import { SetUp, SetUpToken } from './set-up';
import { SignIn } from './sign-in';

const t = texts('auth');

/**
 * The pages for visitors who are not signed in, at any address. The requested address is remembered. A new installation
 * has no account, so setup comes first.
 */
export function Auth(): JSX.Element {
  const [path, navigate] = useLocation();
  const setup = useLoad(async () => {
    const { setup: status, sign_in: ways } = await visit().part(SignInPage).read();
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
    <Layout isCentred>
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
