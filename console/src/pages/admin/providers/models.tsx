import { ApiError, type ModelProviderDto, type ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { listedModels } from '../../../components/admin/model-choice';
import { ProviderTrial } from '../../../components/admin/provider-trial';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Select } from '../../../components/form/form';
import { Page } from '../../../components/page/page';
import { Empty, Show } from '../../../components/states';
import { UserText } from '../../../components/user-text';

const t = texts('manage');
const admin = texts('admin');

/** The models that each provider lists, with a test of each. */
export function Models(): JSX.Element {
  const loaded = useLoad(async () => {
    const [described, listed] = await Promise.all([
      api.admin.models.list(),
      api.admin.providers.list({ query: { size: 100 } }),
    ]);
    return { states: described.data.items, providers: listed.data.items };
  }, []);
  return (
    <Page title={admin('page_models')}>
      <p class="soft">{t('models_hint')}</p>
      <Show loaded={loaded}>{(data) => <ModelsOf {...data} />}</Show>
    </Page>
  );
}

function ModelsOf({ states, providers }: { states: ModelProviderDto[]; providers: ProviderDto[] }): JSX.Element {
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get('provider');
  const provider =
    providers.find(({ name }) => name === wanted) ?? providers.find(({ is_default }) => is_default) ?? providers[0];
  const state = states.find((described) => described.provider === provider?.name);
  if (!provider) return <Empty>{null}</Empty>;
  return (
    <>
      <div class="row bottom">
        <Select
          name="provider"
          label={t('provider')}
          choices={providers.map(({ name }) => ({ value: name, label: name }))}
          value={provider.name}
          onChange={(name) => setParameters({ provider: name }, { replace: true })}
        />
        {state && (
          <Badge tone={state.is_configured && state.circuit === 'closed' ? 'success' : 'warning'}>
            {t(!state.is_configured ? 'not_ready' : state.circuit === 'closed' ? 'ready' : 'circuit_open')}
          </Badge>
        )}
      </div>
      <Listed key={provider.name} provider={provider} />
    </>
  );
}

function Listed({ provider }: { provider: ProviderDto }): JSX.Element {
  // A provider's error is better explained by the test of a model, so a failed list counts as empty.
  const loaded = useLoad(
    () =>
      listedModels(provider).catch((error: unknown) => {
        if (error instanceof ApiError && error.status >= 500) return [];
        throw error;
      }),
    [provider.name],
  );
  const [tried, setTried] = useState<string>();
  return (
    <>
      <Show loaded={loaded}>
        {(names) =>
          names.length === 0 ? (
            <Empty>
              <p>{t('lists_nothing')}</p>
              <Button onClick={() => setTried(provider.model ?? '')}>{t('try')}</Button>
            </Empty>
          ) : (
            <ul class="bare stack tight">
              {names.map((name) => (
                <li key={name} class="row spread line">
                  <span class="row">
                    <code>
                      <UserText>{name}</UserText>
                    </code>
                    {name === provider.model && <Badge tone="accent">{t('default')}</Badge>}
                  </span>
                  <Button aria-label={t('try_model', { name })} onClick={() => setTried(name)}>
                    {t('try')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      {tried !== undefined && <ProviderTrial provider={provider} model={tried} onClose={() => setTried(undefined)} />}
    </>
  );
}
