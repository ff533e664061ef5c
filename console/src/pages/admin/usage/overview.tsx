import type { OverviewDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatDuration, formatNumber, formatShort } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { forecastOf } from '../../../app/i18n/money';
import { useLoad } from '../../../app/use-load';
import { CostLink } from '../../../components/admin/links';
import { Button } from '../../../components/button';
import { Figures } from '../../../components/figures';
import { moneyText } from '../../../components/money/money';
import { costFormat, costHeight, SMALLEST_COST } from '../../../components/money/plotted-cost';
import { Page } from '../../../components/page/page';
import { Plot, type Series } from '../../../components/plot/plot';
import { Show } from '../../../components/states';
import { Attention } from './attention';
import { FirstSteps } from './first-steps';

const t = texts('admin');

type Day = OverviewDto['days'][number];
/** The numeric fields of a day. */
type Measure = Exclude<keyof Day, 'date' | 'cost' | 'unpriced'>;

/** Today and the last 30 days at a glance. */
export function Overview(): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.stats.overview()).data, []);
  return (
    <Page
      title={t('page_overview')}
      actions={
        <Button icon="refresh" busy={loaded.isLoading} onClick={loaded.reload}>
          {t('refresh')}
        </Button>
      }
    >
      <Attention />
      <Show loaded={loaded}>
        {(overview) => (
          <>
            <FirstSteps overview={overview} />
            <OverviewFigures overview={overview} />
            <Costs overview={overview} />
            <div class="plots">
              <DayPlot days={overview.days} title={t('users')} measures={['active_users', 'new_users']} />
              <DayPlot days={overview.days} title={t('messages')} measures={['messages']} />
              <DayPlot days={overview.days} title={t('tokens')} measures={['tokens']} />
              <Plot
                title={t('cost')}
                kind="days"
                keys={overview.days.map(({ date }) => date)}
                series={[{ label: t('cost'), values: overview.days.map(({ cost }) => costHeight(cost)) }]}
                format={costFormat(overview.currency)}
                smallestStep={SMALLEST_COST}
              />
              <DayPlot days={overview.days} title={t('failed_replies')} measures={['failed_replies']} />
              <DayPlot
                days={overview.days}
                title={t('first_token')}
                measures={['first_token_p50_ms', 'first_token_p95_ms']}
                format={formatDuration}
              />
              <Distribution steps={overview.first_token_histogram} />
            </div>
          </>
        )}
      </Show>
    </Page>
  );
}

function OverviewFigures({
  overview: { users, active_users, today, total, days },
}: {
  overview: OverviewDto;
}): JSX.Element {
  const sum = (measure: 'messages' | 'tokens' | 'failed_replies'): number =>
    days.reduce((total, day) => total + day[measure], 0);
  const inDays = (count: number): string => t('in_30_days', { number: formatShort(count) });
  return (
    <Figures
      figures={[
        [t('users'), formatNumber(users.total), t('of_them', { paid: users.paid, banned: users.banned })],
        [t('active_users_today'), formatNumber(active_users.today), inDays(active_users.last_30_days)],
        [t('messages_today'), formatNumber(today.messages), inDays(sum('messages'))],
        [t('tokens_today'), formatShort(today.tokens), inDays(sum('tokens'))],
        [
          t('failed_today'),
          formatNumber(today.failed_replies),
          <>
            {inDays(sum('failed_replies'))}{' '}
            {sum('failed_replies') > 0 && <Link href="/admin/failures">{t('see_failures')}</Link>}
          </>,
        ],
        [t('messages_ever'), formatShort(total.messages), t('tokens_ever', { number: formatShort(total.tokens) })],
      ]}
    />
  );
}

/** Costs of today and this month, and the month-end forecast. */
function Costs({ overview: { currency, today, this_month, days } }: { overview: OverviewDto }): JSX.Element {
  const todayDate = days.at(-1)?.date ?? '';
  const forecast = this_month.cost === null ? null : forecastOf(this_month.cost, todayDate);
  const costFrom = (from: string, cost: string | null): JSX.Element => (
    <CostLink amount={cost} currency={currency} query={{ from }} />
  );
  const rest = ({ cost, unpriced }: { cost: string | null; unpriced: number }): string | null =>
    cost !== null && unpriced > 0 ? t('unpriced_too', { number: formatNumber(unpriced) }) : null;
  return (
    <section class="stack tight">
      <Figures
        figures={[
          [t('cost_today'), costFrom(todayDate, today.cost), rest(today)],
          [t('cost_this_month'), costFrom(`${todayDate.slice(0, 8)}01`, this_month.cost), rest(this_month)],
          [t('cost_forecast'), moneyText(forecast, currency), rest(this_month)],
        ]}
      />
      <p class="soft">{t('cost_hint')}</p>
    </section>
  );
}

function DayPlot({
  days,
  title,
  measures,
  format,
}: {
  days: Day[];
  title: string;
  measures: Measure[];
  format?: (value: number) => string;
}): JSX.Element {
  const series: Series[] = measures.map((measure) => ({ label: t(measure), values: days.map((day) => day[measure]) }));
  return <Plot title={title} kind="days" keys={days.map(({ date }) => date)} series={series} format={format} />;
}

/** A histogram of the time to the first token, without empty bins at the ends. */
function Distribution({ steps }: { steps: OverviewDto['first_token_histogram'] }): JSX.Element {
  const named = steps.map(({ up_to_ms, replies }, index) => ({
    name: up_to_ms === null ? `> ${formatDuration(steps[index - 1]?.up_to_ms)}` : `≤ ${formatDuration(up_to_ms)}`,
    replies,
  }));
  const first = named.findIndex(({ replies }) => replies > 0);
  const last = named.findLastIndex(({ replies }) => replies > 0);
  const shown = first < 0 ? [] : named.slice(Math.max(0, first - 1), last + 2);
  return (
    <Plot
      title={t('first_token_distribution')}
      kind="groups"
      keys={shown.map(({ name }) => name)}
      series={[{ label: t('replies'), values: shown.map(({ replies }) => replies) }]}
    />
  );
}
