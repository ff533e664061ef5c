import type { OverviewDto, UsageRowDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatDuration, formatNumber, formatShort } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { forecastOf, sumOf } from '../../../app/i18n/money';
import { useLoad } from '../../../app/use-load';
import { changeOf, dayAfter, usageBefore } from '../../../components/admin/last-days';
import { CostLink } from '../../../components/admin/links';
import { Button } from '../../../components/button';
import { Figures } from '../../../components/figures';
import { moneyText } from '../../../components/money/money';
import { costFormat, costHeight, SMALLEST_COST } from '../../../components/money/plotted-cost';
import { Page } from '../../../components/page/page';
import { Plot, type Series } from '../../../components/plot/plot';
import { Spark } from '../../../components/plot/spark';
import { Show } from '../../../components/states';
import { Attention } from './attention';
import { FirstSteps } from './first-steps';

const t = texts('admin');

type Day = OverviewDto['days'][number];
/** The numeric fields of a day. */
type Measure = Exclude<keyof Day, 'date' | 'cost' | 'unpriced'>;

/** The 30 days before the last 30 days. */
interface Before {
  days: (UsageRowDto | undefined)[];
  activeUsers: number;
}

async function readBefore({ days: [first] }: OverviewDto): Promise<Before | undefined> {
  if (!first) return undefined;
  const period = { from: dayAfter(first.date, -30), to: dayAfter(first.date, -1) };
  const [days, users] = await Promise.all([
    usageBefore(first.date, 30),
    api.admin.stats.usage({ query: { ...period, group_by: 'user', size: 1 } }),
  ]);
  return { days, activeUsers: users.data.pagination.total };
}

/** The last 30 days at a glance, what needs attention, and the charts. */
export function Overview(): JSX.Element {
  const loaded = useLoad(async () => {
    const overview = (await api.admin.stats.overview()).data;
    // Without them, the page shows the figures alone.
    return { overview, before: await readBefore(overview).catch(() => undefined) };
  }, []);
  return (
    <Page
      title={t('page_overview')}
      actions={
        <Button icon="refresh" busy={loaded.isLoading} onClick={loaded.reload}>
          {t('refresh')}
        </Button>
      }
    >
      <Show loaded={loaded}>
        {({ overview, before }) => (
          <>
            <FirstSteps overview={overview} />
            <LastDays overview={overview} before={before} />
            <Attention />
            <Costs overview={overview} />
            <Charts overview={overview} before={before} />
          </>
        )}
      </Show>
    </Page>
  );
}

interface ReportProps {
  overview: OverviewDto;
  before: Before | undefined;
}

const sumOfNumbers = (values: (number | null | undefined)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
const costOf = (day: { cost: string | null } | undefined): number | null => costHeight(day?.cost ?? null);

/** Four figures with their change and course. */
function LastDays({ overview: { days, currency, active_users }, before }: ReportProps): JSX.Element {
  const costs = days.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const total = costs.length === 0 ? null : sumOf(...costs);
  const from = days[0]?.date ?? '';
  const figures = [
    {
      label: t('cost'),
      value: <CostLink amount={total} currency={currency} query={{ from }} />,
      now: Number(total),
      earlier: sumOfNumbers(before?.days.map(costOf) ?? []),
      course: days.map(costOf),
    },
    ...(
      [
        ['replies', (row?: UsageRowDto) => (row ? row.messages - row.user_messages : 0)],
        ['failed_replies', (row?: UsageRowDto) => row?.failed_replies],
      ] as const
    ).map(([measure, read]) => {
      const course = days.map((day) => day[measure]);
      const now = sumOfNumbers(course);
      const earlier = sumOfNumbers(before?.days.map(read) ?? []);
      const hasLink = measure === 'failed_replies' && now > 0;
      return { label: t(measure), value: formatNumber(now), now, earlier, course, hasLink };
    }),
    {
      label: t('active_users'),
      value: formatNumber(active_users.last_30_days),
      now: active_users.last_30_days,
      earlier: before?.activeUsers ?? 0,
      course: days.map((day) => day.active_users),
    },
  ];
  return (
    <section class="stack" aria-labelledby="last-days">
      <h2 id="last-days">{t('last_30_days')}</h2>
      <Figures
        figures={figures.map(({ label, value, now, earlier, course, ...rest }) => {
          const change = changeOf(now, earlier);
          return [
            label,
            value,
            <>
              {change !== null && t('change', { change })}
              {'hasLink' in rest && rest.hasLink && (
                <>
                  {' '}
                  <Link href="/admin/failures">{t('see_failures')}</Link>
                </>
              )}
              <Spark values={course} />
            </>,
          ];
        })}
      />
    </section>
  );
}

/** Costs of today and this month, the month-end forecast, and today's use. */
function Costs({ overview }: { overview: OverviewDto }): JSX.Element {
  const { currency, users, today, this_month, days } = overview;
  const todayDate = days.at(-1)?.date ?? '';
  const forecast = this_month.cost === null ? null : forecastOf(this_month.cost, todayDate);
  const costFrom = (from: string, cost: string | null): JSX.Element => (
    <CostLink amount={cost} currency={currency} query={{ from }} />
  );
  const rest = ({ cost, unpriced }: { cost: string | null; unpriced: number }): string | null =>
    cost !== null && unpriced > 0 ? t('unpriced_too', { number: formatNumber(unpriced) }) : null;
  const inDays = (measure: 'messages' | 'tokens'): string =>
    t('in_30_days', { number: formatShort(sumOfNumbers(days.map((day) => day[measure]))) });
  return (
    <section class="stack" aria-labelledby="today">
      <h2 id="today">{t('today_and_month')}</h2>
      <Figures
        figures={[
          [t('cost_today'), costFrom(todayDate, today.cost), rest(today)],
          [t('cost_this_month'), costFrom(`${todayDate.slice(0, 8)}01`, this_month.cost), rest(this_month)],
          [t('cost_forecast'), moneyText(forecast, currency), rest(this_month)],
          [t('messages_today'), formatNumber(today.messages), inDays('messages')],
          [t('tokens_today'), formatShort(today.tokens), inDays('tokens')],
          [t('users'), formatNumber(users.total), t('of_them', { paid: users.paid, banned: users.banned })],
        ]}
      />
      <p class="soft">{t('cost_hint')}</p>
    </section>
  );
}

/** The cost comes first if it is known. */
function Charts({ overview: { days, currency, first_token_histogram }, before }: ReportProps): JSX.Element {
  const previous = (read: (row?: UsageRowDto) => number | null | undefined): Series[] =>
    before ? [{ label: t('previous_period'), isFaint: true, values: before.days.map((row) => read(row) ?? 0) }] : [];
  const cost = (
    <Plot
      title={t('cost')}
      kind="days"
      keys={days.map(({ date }) => date)}
      series={[{ label: t('this_period'), values: days.map(costOf) }, ...previous(costOf)]}
      format={costFormat(currency)}
      smallestStep={SMALLEST_COST}
    />
  );
  const isCostKnown = days.some((day) => day.cost !== null);
  const counted = (measure: 'messages' | 'tokens' | 'failed_replies'): JSX.Element => (
    <DayPlot days={days} title={t(measure)} measures={[measure]} previous={previous((row) => row?.[measure])} />
  );
  return (
    <div class="plots">
      {isCostKnown && cost}
      {counted('messages')}
      <DayPlot days={days} title={t('users')} measures={['active_users', 'new_users']} />
      {counted('tokens')}
      {counted('failed_replies')}
      <DayPlot
        days={days}
        title={t('first_token')}
        measures={['first_token_p50_ms', 'first_token_p95_ms']}
        format={formatDuration}
      />
      <Distribution steps={first_token_histogram} />
      {!isCostKnown && cost}
    </div>
  );
}

function DayPlot({
  days,
  title,
  measures,
  previous = [],
  format,
}: {
  days: Day[];
  title: string;
  measures: Measure[];
  previous?: Series[];
  format?: (value: number) => string;
}): JSX.Element {
  const own = measures.map((measure) => ({
    label: t(previous.length > 0 ? 'this_period' : measure),
    values: days.map((day) => day[measure]),
  }));
  const series: Series[] = [...own, ...previous];
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
