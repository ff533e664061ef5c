import type { EmbeddingModelDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Facts } from '../../../components/facts';
import { Show } from '../../../components/states';
import { UserText } from '../../../components/user-text';
import { EmbeddingDialog } from './embedding-dialog';

const t = texts('knowledge');
const admin = texts('admin');

/** How often a change that runs is requested. */
const PAUSE_MILLISECONDS = 3_000;

/** The embedding model, and how far a change is. */
export function Embedding(): JSX.Element {
  const [isEditing, setIsEditing] = useState(false);
  const loaded = useLoad(async () => (await api.admin.embedding.read()).data, []);
  const { data, reload } = loaded;
  const isBuilding = Boolean(data?.building);
  useEffect(() => {
    if (!isBuilding) return undefined;
    const timer = setTimeout(reload, PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [data]);
  const remove = async (): Promise<void> => {
    const question = { title: t('embedding_off_title'), text: t('embedding_off_text'), action: t('embedding_off') };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    if (await attempt(() => api.admin.embedding.remove())) toast(t('embedding_is_off'));
    reload();
  };
  return (
    <section class="stack">
      <h2>{t('embedding')}</h2>
      <p class="soft">{t('embedding_text')}</p>
      <Show loaded={loaded}>
        {(shown) => (
          <div class="card stack">
            {shown.model === null && !shown.building ? <p>{t('embedding_none')}</p> : <Model shown={shown} />}
            <div class="row">
              <Button onClick={() => setIsEditing(true)} disabled={isBuilding}>
                {t(shown.model === null ? 'embedding_set' : 'embedding_change')}
              </Button>
              {(shown.model !== null || shown.building) && (
                <Button kind="danger" onClick={() => void remove()}>
                  {t('embedding_off')}
                </Button>
              )}
            </div>
            {isEditing && (
              <EmbeddingDialog
                current={shown}
                onSaved={() => {
                  setIsEditing(false);
                  reload();
                }}
                onClose={() => setIsEditing(false)}
              />
            )}
          </div>
        )}
      </Show>
    </section>
  );
}

function Model({ shown: { provider, model, dimensions, building } }: { shown: EmbeddingModelDto }): JSX.Element {
  return (
    <>
      <Facts
        facts={[
          provider !== null && [t('provider'), <UserText key="provider">{provider}</UserText>],
          model !== null && [admin('model'), <UserText key="model">{model}</UserText>],
          dimensions !== null && [t('dimensions'), formatNumber(dimensions)],
        ]}
      />
      {building && (
        <div class="stack tight" role="status">
          <p>{t('building', { done: building.done, total: building.total })}</p>
          <progress value={building.done} max={Math.max(1, building.total)} aria-label={t('building_label')} />
        </div>
      )}
    </>
  );
}
