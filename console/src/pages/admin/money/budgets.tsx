import type { BudgetDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { leftOf } from '../../../app/i18n/money';
import { attempt, toast } from '../../../app/toasts';
import { AgentLink, KeyLink, UserLink } from '../../../components/admin/links';
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

const t = texts('money');
const admin = texts('admin');
const manage = texts('manage');

/** What may be spent, by whom, and how much of it is left. */
export function Budgets(): JSX.Element {
  const [version, change] = useVersion();
  const [edited, setEdited] = useState<BudgetDto | 'new'>();
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
      <DataTable
        label={admin('page_budgets')}
        version={version}
        // The parameters come from the page's address, so the service checks them.
        load={async (query) => (await api.admin.budgets.list({ query: query as object })).data}
        filters={[{ name: 'scope', label: t('scope'), choices: choicesOf(SCOPES, (scope) => t(`scope_${scope}`)) }]}
        columns={[
          { name: 'scope', label: t('scope'), cell: (budget) => <Subject budget={budget} /> },
          { name: 'limit', label: t('limit'), cell: (budget) => <Limit budget={budget} /> },
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
                  { label: t('reset'), icon: 'undo', onSelect: () => void reset(budget).then(change) },
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
    </Page>
  );
}

/** What a budget is called in menus and questions. */
function nameOf({ scope, scope_id, scope_name, window }: BudgetDto): string {
  const plan = scope === 'membership_type' ? manage(`plan_${scope_id as 'free'}`) : null;
  const whose = scope_name ?? plan ?? (scope_id === null ? '' : `#${scope_id}`);
  return [t(`scope_${scope}`), whose, t(`window_${window}`)].filter(Boolean).join(' · ');
}

function Subject({ budget }: { budget: BudgetDto }): JSX.Element {
  return (
    <div class="stack tight budget-subject">
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

function Limit({ budget: { limit, currency, window, mode, each_user } }: { budget: BudgetDto }): JSX.Element {
  return (
    <div class="stack tight budget-limit">
      <span>
        <Money amount={limit} currency={currency} /> {t(`per_${window}`)}
      </span>
      <span class="row tight">
        <Badge tone={mode === 'hard' ? 'accent' : ''}>{t(`mode_${mode}`)}</Badge>
        {each_user && <Badge>{t('each_user_badge')}</Badge>}
      </span>
    </div>
  );
}

function Use({ budget }: { budget: BudgetDto }): JSX.Element {
  const { limit, spent, reserved, currency, each_user } = budget;
  const text = (amount: string): string => moneyText(amount, currency);
  if (each_user) return <span>{t('spent_together', { spent: text(spent), held: text(reserved) })}</span>;
  return (
    <div class="stack tight budget-use">
      <BudgetBar label={t('use_of', { name: nameOf(budget) })} {...budget} />
      <span>{t('left', { left: text(leftOf(limit, spent, reserved)) })}</span>
      <span class="soft">{t('spent_and_held', { spent: text(spent), held: text(reserved) })}</span>
    </div>
  );
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
