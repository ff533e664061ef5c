import type { BudgetDto, UnpricedModelDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { leftOf } from '../../../app/i18n/money';
import { attempt, toast } from '../../../app/toasts';
import { AgentLink, CostLink, KeyLink, UserLink } from '../../../components/admin/links';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { Menu } from '../../../components/menu';
import { BudgetBar } from '../../../components/money/budget-bar';
import { Money, moneyText } from '../../../components/money/money';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { BudgetForm } from './budget-form';
import { SCOPES } from './budget-scopes';
import { PriceForm } from './price-form';
import { UnpricedModels, useUnpricedModels } from './unpriced-models';

const t = texts('money');
const admin = texts('admin');
const manage = texts('manage');

/** All budgets with their limits, and how much of each is left. */
export function Budgets(): JSX.Element {
  const [version, change] = useVersion();
  const [edited, setEdited] = useState<BudgetDto | 'new'>();
  const [priced, setPriced] = useState<string>();
  const unpriced = useUnpricedModels(version);
  const refused = unpriced.filter(({ budget_ids }) => budget_ids.length > 0);
  return (
    <Page
      title={admin('page_budgets')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
          {t('new_budget')}
        </Button>
      }
    >
      <p class="soft">{t('budgets_hint')}</p>
      <UnpricedModels models={refused} onPrice={setPriced}>
        {t('budgets_refuse', { count: refused.length })}
      </UnpricedModels>
      <DataTable
        label={admin('page_budgets')}
        version={version}
        // The parameters come from the page's address. The service validates them.
        load={async (query) => (await api.admin.budgets.list({ query: query as object })).data}
        filters={[{ name: 'scope', label: t('scope'), choices: choicesOf(SCOPES, (scope) => t(`scope_${scope}`)) }]}
        columns={[
          { name: 'scope', label: t('scope'), cell: (budget) => <Subject budget={budget} /> },
          {
            name: 'limit',
            label: t('limit'),
            cell: (budget) => <Limit budget={budget} refused={countOf(budget, refused)} />,
          },
          { name: 'use', label: t('use'), cell: (budget) => <Use budget={budget} /> },
          {
            name: 'resets_at',
            label: t('resets_at'),
            cell: ({ resets_at }) => (resets_at ? <Time at={resets_at} /> : t('never')),
          },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (budget) => (
              <Menu
                label={manage('actions_of', { name: nameOf(budget) })}
                items={[
                  { label: manage('edit'), icon: 'edit', onSelect: () => setEdited(budget) },
                  { label: t('reset'), icon: 'refresh', onSelect: () => void reset(budget).then(change) },
                  {
                    label: manage('delete'),
                    icon: 'trash',
                    isDangerous: true,
                    onSelect: () => void remove(budget).then(change),
                  },
                ]}
              />
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_budgets')}</p>}
      />
      {edited && (
        <BudgetForm
          budget={edited === 'new' ? undefined : edited}
          onClose={() => {
            setEdited(undefined);
            change();
          }}
        />
      )}
      {priced && (
        <PriceForm
          former={{ model: priced }}
          onClose={() => {
            setPriced(undefined);
            change();
          }}
        />
      )}
    </Page>
  );
}

/** The display name of a budget. */
function nameOf({ name, scope, scope_id, scope_name, window }: BudgetDto): string {
  if (name !== null) return name;
  const plan = scope === 'membership_type' ? manage(`plan_${scope_id as 'free'}`) : null;
  const whose = scope_name ?? plan ?? (scope_id === null ? '' : `#${scope_id}`);
  return [t(`scope_${scope}`), whose, t(`window_${window}`)].filter(Boolean).join(' · ');
}

function Subject({ budget }: { budget: BudgetDto }): JSX.Element {
  return (
    <div class="stack tight budget-subject">
      {budget.name !== null && (
        <strong>
          <UserText>{budget.name}</UserText>
        </strong>
      )}
      <span>
        {t(`scope_${budget.scope}`)} <SubjectName budget={budget} />
      </span>
      {budget.note && (
        <span class="soft">
          <UserText>{budget.note}</UserText>
        </span>
      )}
    </div>
  );
}

function SubjectName({ budget: { scope, scope_id, scope_name } }: { budget: BudgetDto }): JSX.Element | null {
  if (scope === 'service') return null;
  if (scope === 'membership_type') return <strong>{manage(`plan_${scope_id as 'free'}`)}</strong>;
  const id = Number(scope_id);
  const name = scope_name ?? t('gone', { id: `#${id}` });
  if (scope === 'user') return <UserLink id={id} name={name} />;
  if (scope === 'agent') return <AgentLink id={id} agents={[{ id, name }]} />;
  const words = <UserText>{name}</UserText>;
  return scope === 'api_key' ? <KeyLink id={id}>{words}</KeyLink> : <strong>{words}</strong>;
}

/** The number of unpriced models that a budget refuses. */
function countOf({ id }: BudgetDto, refused: UnpricedModelDto[]): number {
  return refused.filter(({ budget_ids }) => budget_ids.includes(id)).length;
}

function Limit({ budget, refused }: { budget: BudgetDto; refused: number }): JSX.Element {
  const { limit, currency, window, mode, each_user } = budget;
  return (
    <div class="stack tight budget-limit">
      <span>
        <Money amount={limit} currency={currency} /> {t(`per_${window}`)}
      </span>
      <span class="row tight">
        <Badge tone={mode === 'hard' ? 'accent' : ''}>{t(`mode_${mode}`)}</Badge>
        {each_user && <Badge>{t('each_user_badge')}</Badge>}
        {refused > 0 && <Badge tone="warning">{t('refuses_models', { count: refused })}</Badge>}
      </span>
    </div>
  );
}

function Use({ budget }: { budget: BudgetDto }): JSX.Element {
  const { limit, spent, reserved, currency, each_user } = budget;
  const text = (amount: string): string => moneyText(amount, currency);
  const amounts = { spent: text(spent), held: text(reserved) };
  if (each_user) {
    return (
      <div class="stack tight">
        <Spent budget={budget}>{t('spent_together', amounts)}</Spent>
        <UsedUp budget={budget} />
      </div>
    );
  }
  return (
    <div class="stack tight budget-use">
      <BudgetBar label={t('use_of', { name: nameOf(budget) })} {...budget} />
      <span>{t('left', { left: text(leftOf(limit, spent, reserved)) })}</span>
      <Spent budget={budget}>{t('spent_and_held', amounts)}</Spent>
    </div>
  );
}

/** Links to the requests charged to a budget. The costs page has no filter by plan. */
function Spent({ budget, children }: { budget: BudgetDto; children: string }): JSX.Element {
  if (budget.scope === 'membership_type') return <span class="soft">{children}</span>;
  return <Link href={`/admin/costs?${new URLSearchParams(chargedTo(budget))}`}>{children}</Link>;
}

function UsedUp({ budget }: { budget: BudgetDto }): JSX.Element | null {
  const { used_up, currency } = budget;
  if (used_up.length === 0) return null;
  return (
    <>
      <Badge tone="warning">{t('used_up')}</Badge>
      {used_up.map(({ user_id, username, spent }) => (
        <span key={user_id}>
          <UserLink id={user_id} name={username} />{' '}
          <CostLink amount={spent} currency={currency} query={{ ...chargedTo(budget), user_id: String(user_id) }} />
        </span>
      ))}
    </>
  );
}

/** Filters for the costs in the current window of a budget. */
function chargedTo({ scope, scope_id, window_start, starts_at }: BudgetDto): Record<string, string> {
  // Both are ISO strings in UTC, so they can be compared. The page's filter shows only days.
  const from = (starts_at > window_start ? starts_at : window_start).replace('T00:00:00.000Z', '');
  const isNamed = scope !== 'service' && scope !== 'membership_type';
  return { from, ...(isNamed && { [`${scope}_id`]: String(scope_id) }) };
}

async function reset(budget: BudgetDto): Promise<void> {
  const question = {
    title: t('reset_title', { name: nameOf(budget) }),
    text: t('reset_hint', { spent: moneyText(budget.spent, budget.currency) }),
    action: t('reset'),
  };
  if (!(await confirm({ ...question, isDangerous: true }))) return;
  if (await attempt(() => api.admin.budgets.reset({ path: { id: budget.id } }))) toast(t('budget_reset'));
}

async function remove(budget: BudgetDto): Promise<void> {
  const question = {
    title: t('delete_title', { name: nameOf(budget) }),
    text: t('delete_hint'),
    action: manage('delete'),
  };
  if (!(await confirm({ ...question, isDangerous: true }))) return;
  if (await attempt(() => api.admin.budgets.remove({ path: { id: budget.id } }))) toast(t('budget_deleted'));
}
