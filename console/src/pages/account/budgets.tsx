import type { OwnBudgetDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { BudgetBar } from '../../components/money/budget-bar';
import { moneyText } from '../../components/money/money';
import { Show } from '../../components/states';

const t = texts('account');

/** The user's remaining budgets. Shared budgets only show whether anything is left. */
export function Budgets({ currency }: { currency: string }): JSX.Element {
  const loaded = useLoad(() => api.usage.budget(), []);
  return (
    <Show loaded={loaded}>
      {(budgets) =>
        budgets.length > 0 && (
          <section class="card stack">
            <h2>{t('budgets')}</h2>
            {budgets.map((budget, index) => (
              <Budget key={index} budget={budget} currency={currency} />
            ))}
          </section>
        )
      }
    </Show>
  );
}

function Budget({ budget, currency }: { budget: OwnBudgetDto; currency: string }): JSX.Element {
  const { resets_at } = budget;
  return (
    <div class="stack allowance">
      {isOwn(budget) ? (
        <Own budget={budget} currency={currency} />
      ) : (
        <div class="row spread">
          <span>{t(`budget_shared_${sharedBy(budget)}`)}</span>
          <span>{t(budget.exhausted ? 'budget_used_up' : 'budget_open')}</span>
        </div>
      )}
      <p class="soft">{resets_at ? t('resets_at', { time: formatTime(resets_at) }) : t('budget_for_good')}</p>
    </div>
  );
}

type Numbers = Record<'limit' | 'spent' | 'reserved' | 'remaining', string>;

function isOwn(budget: OwnBudgetDto): budget is OwnBudgetDto & Numbers {
  return budget.limit !== undefined;
}

/** The budget of a user or key is never shared with other users. */
function sharedBy({ scope }: OwnBudgetDto): 'service' | 'group' | 'membership_type' | 'agent' {
  return scope === 'user' || scope === 'api_key' ? 'service' : scope;
}

function Own({ budget, currency }: { budget: OwnBudgetDto & Numbers; currency: string }): JSX.Element {
  const { limit, remaining, reserved, window } = budget;
  const label = t(`budget_own_${window}`);
  const money = (amount: string): string => moneyText(amount, currency);
  return (
    <>
      <div class="row spread">
        <span>{label}</span>
        <span class="number">{t('budget_left', { left: money(remaining), limit: money(limit) })}</span>
      </div>
      <BudgetBar label={label} {...budget} />
      {reserved !== '0' && <p class="soft">{t('budget_held', { held: money(reserved) })}</p>}
    </>
  );
}
