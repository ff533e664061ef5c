import type { QuotaDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatMegabytes, formatNumber, formatShort, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Money } from '../../components/money/money';
import { Page } from '../../components/page/page';
import { Show } from '../../components/states';
import { Budgets } from './budgets';
import { Membership } from './membership';
import { OwnPlots } from './own-plots';

const t = texts('account');

/** Usage, the remaining quota of today, and the plan. */
export function Usage(): JSX.Element {
  const usage = useLoad(() => api.usage.stats(), []);
  const quota = useLoad(() => api.usage.quota(), []);
  return (
    <Page title={t('usage')}>
      <div class="cards wide-cards">
        <Show loaded={quota}>{(today) => <Quota quota={today} />}</Show>
        <Membership onChange={quota.reload} />
      </div>
      <Show loaded={usage}>
        {({ total_stats: total, today_stats: today, daily_usage: days, currency }) => (
          <>
            <Budgets currency={currency} />
            <dl class="cards">
              <Figure label={t('messages_today')} value={today.today_messages} />
              <Figure label={t('tokens_today')} value={today.today_tokens} />
              <Figure label={t('messages_total')} value={total.total_messages} />
              <Figure label={t('tokens_total')} value={total.total_tokens} />
              <Figure label={t('chats_total')} value={total.total_chats} />
              <CostFigure label={t('cost_today')} cost={today.today_cost} currency={currency} />
              <CostFigure label={t('cost_total')} cost={total.total_cost} currency={currency} />
            </dl>
            <OwnPlots days={days} />
          </>
        )}
      </Show>
    </Page>
  );
}

function Figure({ label, value }: { label: string; value: number }): JSX.Element {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd title={formatNumber(value)}>{formatShort(value)}</dd>
    </div>
  );
}

function CostFigure({ label, cost, currency }: { label: string; cost: string | null; currency: string }): JSX.Element {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        <Money amount={cost} currency={currency} />
      </dd>
    </div>
  );
}

function Quota({ quota: { messages, tokens, storage, resets_at } }: { quota: QuotaDto }): JSX.Element {
  return (
    <section class="card stack">
      <h2>{t('quota')}</h2>
      <Allowance label={t('messages_sent')} {...messages} />
      <Allowance label={t('tokens')} {...tokens} />
      <p class="soft">{t('resets_at', { time: formatTime(resets_at) })}</p>
      <Allowance label={t('storage')} {...storage} format={formatMegabytes} />
      <p class="soft">{t('storage_hint')}</p>
    </section>
  );
}

interface AllowanceProps extends Pick<QuotaDto['messages'], 'limit' | 'used'> {
  label: string;
  format?: (amount: number) => string;
}

function Allowance({ label, limit, used, format = formatNumber }: AllowanceProps): JSX.Element {
  const [amount, most] = [format(used), limit === null ? null : format(limit)];
  return (
    <div class="stack allowance">
      <div class="row spread">
        <span>{label}</span>
        <span class="number">{most === null ? t('used_unlimited', { amount }) : t('used_of', { amount, most })}</span>
      </div>
      {limit !== null && (
        <meter aria-label={label} min={0} max={limit} high={limit * 0.8} optimum={0} value={Math.min(used, limit)} />
      )}
    </div>
  );
}
