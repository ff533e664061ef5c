import type { UnpricedModelDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { UserText } from '../../../components/user-text';

const t = texts('money');
const admin = texts('admin');

const MOST_SHOWN = 5;
const MOST_AGENTS = 3;

/** The models without a price that agents use; empty while they load. */
export function useUnpricedModels(version: unknown): UnpricedModelDto[] {
  const { data = [] } = useLoad(async () => (await api.admin.budgets.unpricedModels()).data, [version]);
  return data;
}

interface UnpricedModelsProps {
  models: UnpricedModelDto[];
  /** Explains what the missing price means. */
  children: ComponentChildren;
  onPrice: (model: string) => void;
  isWarning?: boolean;
  /** For the prices page: shows all models, and marks those that a budget refuses. */
  isAll?: boolean;
}

/** Lists models without a price, each with a button to add one. Renders nothing if there are none. */
export function UnpricedModels(props: UnpricedModelsProps): JSX.Element | null {
  const { models, children, onPrice, isWarning = true, isAll = false } = props;
  if (models.length === 0) return null;
  const shown = isAll ? models : models.slice(0, MOST_SHOWN);
  const left = models.length - shown.length;
  return (
    <div class={`notice stack tight ${isWarning ? 'warning' : ''}`}>
      <p>{children}</p>
      <ul class="bare stack tight">
        {shown.map(({ provider, model, agents, budget_ids }) => (
          <li key={`${provider}:${model}`} class="row">
            <UserText>{`${provider}:${model}`}</UserText>
            <span class="soft">
              <UserText>{t('agents_of_model', { names: namesOf(agents) })}</UserText>
            </span>
            {isAll && budget_ids.length > 0 && <Badge tone="warning">{t('refused_now')}</Badge>}
            <Button aria-label={t('price_for', { model })} onClick={() => onPrice(model)}>
              {t('new_price')}
            </Button>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          {t('more_models', { count: left })}: <Link href="/admin/prices">{admin('page_prices')}</Link>
        </p>
      )}
    </div>
  );
}

function namesOf(agents: UnpricedModelDto['agents']): string {
  const names = agents.slice(0, MOST_AGENTS).map(({ name }) => name);
  return [...names, ...(agents.length > MOST_AGENTS ? ['…'] : [])].join(', ');
}
