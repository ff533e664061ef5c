import type { UsageRowDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { api, saveFile } from '../../../app/api';
import { formatDay, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { agentChoices, type Agents, useAgents } from '../../../components/admin/agents';
import { usageBefore } from '../../../components/admin/last-days';
import { AgentLink, CostLink, KeyLink, UserLink } from '../../../components/admin/links';
import { keyEntry, userEntry } from '../../../components/admin/look-ups';
import { Button } from '../../../components/button';
import { choicesOf } from '../../../components/form/choices';
import { Money } from '../../../components/money/money';
import { costFormat, costHeight, SMALLEST_COST } from '../../../components/money/plotted-cost';
import { Page } from '../../../components/page/page';
import { Plot } from '../../../components/plot/plot';
import { Empty } from '../../../components/states';
import { listOf } from '../../../components/table/list-of';
import { period } from '../../../components/table/period';
import { type Column, DataTable } from '../../../components/table/table';
import type { Filter } from '../../../components/table/table-filters';
import { UserText } from '../../../components/user-text';

const t = texts('admin');

const GROUPINGS = ['day', 'user', 'group', 'agent', 'model', 'provider', 'api_key'] as const;
type Grouping = (typeof GROUPINGS)[number];

const MEASURES = [
  'requests',
  'tokens',
  'prompt_tokens',
  'completion_tokens',
  'messages',
  'user_messages',
  'chats',
  'failed_replies',
] as const;
const PLOTTED = ['cost', ...MEASURES] as const;
type Plotted = (typeof PLOTTED)[number];

/** A chart with more bars is unreadable. */
const MOST_BARS = 20;

const usage = listOf('usage', api.admin.stats, 'usage');

/** Usage for any period and grouping, as chart, table and file. */
export function Usage(): JSX.Element {
  const [parameters] = useSearchParams();
  const grouping = GROUPINGS.find((name) => name === parameters.get('group_by')) ?? 'day';
  const agents = useAgents();
  return (
    <Page title={t('page_usage')} actions={<FocusFile parameters={parameters} />}>
      <p class="soft">{t('usage_hint')}</p>
      <DataTable
        label={t('page_usage')}
        columns={columnsOf(grouping, agents, parameters)}
        filters={filtersOf(grouping, agents, parameters)}
        {...usage}
        between={(rows) => <UsagePlot rows={rows} grouping={grouping} />}
        rowKey={({ key }) => key ?? ''}
        empty={<p>{t('no_usage')}</p>}
      />
    </Page>
  );
}

/** A cost export in FOCUS format. It is grouped by day, user, provider and model, regardless of the table. */
function FocusFile({ parameters }: { parameters: URLSearchParams }): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    const { page: _page, group_by: _grouping, sort: _sort, ...filters } = Object.fromEntries(parameters);
    await attempt(async () => saveFile(await focusFile(filters), 'costs-focus.csv'));
    setIsBusy(false);
  };
  return (
    <Button icon="download" busy={isBusy} title={t('focus_hint')} onClick={() => void save()}>
      {t('export_focus')}
    </Button>
  );
}

/** The client returns every file as text. */
async function focusFile(filters: object): Promise<string> {
  const file: unknown = await api.admin.stats.usage({ query: { ...filters, format: 'focus' } });
  return String(file);
}

/**
 * The service has no totals by key combined with agent or model, so these filters exclude each other. Only the filters
 * that apply are shown.
 */
function filtersOf(grouping: Grouping, agents: Agents, query: URLSearchParams): Filter[] {
  const isOfAgents = /agent|model/.test(grouping) || query.has('agent_id') || query.has('model');
  const isOfKeys = grouping === 'api_key' || query.has('api_key_id');
  const isOfProviders = grouping === 'provider';
  const choices = choicesOf(GROUPINGS, (name) => t(`by_${name}`));
  return [
    { name: 'group_by', label: t('group_by'), choices, isRequired: true },
    ...period(30),
    { name: 'user_id', label: t('user'), entry: userEntry },
    { name: 'agent_id', label: t('agent'), choices: agentChoices(agents) },
    { name: 'model', label: t('model') },
    { name: 'api_key_id', label: t('by_api_key'), entry: keyEntry },
  ].filter(
    ({ name }) =>
      query.has(name) ||
      !(
        (isOfKeys && /^agent|^model/.test(name)) ||
        (isOfAgents && name === 'api_key_id') ||
        (isOfProviders && /^agent|^api_key/.test(name))
      ),
  );
}

function columnsOf(grouping: Grouping, agents: Agents, query: URLSearchParams): Column<UsageRowDto>[] {
  return [
    {
      name: 'key',
      label: t(`by_${grouping}`),
      isSortable: true,
      cell: (row) => <Key row={row} grouping={grouping} agents={agents} />,
    },
    {
      name: 'cost',
      label: t('cost'),
      isSortable: true,
      isNumber: true,
      cell: (row: UsageRowDto) => <Cost row={row} query={rowsOf(row, grouping, query)} />,
    },
    ...MEASURES.map((measure) => ({
      name: measure,
      label: t(measure),
      isSortable: true,
      isNumber: true,
      cell: (row: UsageRowDto) => formatNumber(row[measure]),
    })),
  ];
}

function Key({ row, grouping, agents }: { row: UsageRowDto; grouping: Grouping; agents: Agents }): JSX.Element {
  if (row.key === null) return <span class="soft">{t('none_of_these')}</span>;
  if (grouping === 'user') return <UserLink id={Number(row.key)} name={row.name} />;
  if (grouping === 'agent') return <AgentLink id={Number(row.key)} agents={agents} />;
  if (grouping === 'day') return <time dateTime={String(row.key)}>{nameOf(row, grouping)}</time>;
  const words = <UserText>{nameOf(row, grouping)}</UserText>;
  return grouping === 'api_key' ? <KeyLink id={Number(row.key)}>{words}</KeyLink> : words;
}

/** If some requests have no price, the known cost is incomplete. */
function Cost({
  row: { cost, currency, unpriced },
  query,
}: {
  row: UsageRowDto;
  query: Record<string, string> | null;
}): JSX.Element {
  return (
    <>
      {query ? (
        <CostLink amount={cost} currency={currency} query={query} />
      ) : (
        <Money amount={cost} currency={currency} />
      )}
      {cost !== null && unpriced > 0 && (
        <>
          <br />
          <span class="soft">{t('unpriced_too', { number: formatNumber(unpriced) })}</span>
        </>
      )}
    </>
  );
}

/**
 * Filters for the requests in a row. Null if the row has no user, group, agent or key, because no filter matches that.
 */
function rowsOf({ key }: UsageRowDto, grouping: Grouping, query: URLSearchParams): Record<string, string> | null {
  if (key === null) return null;
  const { group_by: _grouping, sort: _sort, page: _page, ...filters } = Object.fromEntries(query);
  const value = String(key);
  if (grouping === 'day') return { ...filters, from: value, to: value };
  const from = filters.from ?? firstDayUntil(filters.to);
  const name = grouping === 'model' || grouping === 'provider' ? grouping : `${grouping}_id`;
  return { ...filters, from, [name]: value };
}

/** The first day that the service uses if the period has none. */
function firstDayUntil(to: string | undefined): string {
  const last = to === undefined ? Date.now() : Date.parse(to);
  return new Date(last - 29 * 86_400_000).toISOString().slice(0, 10);
}

/** Rows of the previous grouping remain until the new ones are loaded. */
const isDay = (key: UsageRowDto['key']): boolean => /^\d{4}-/.test(String(key));

function nameOf({ key, name }: UsageRowDto, grouping: Grouping): string {
  if (key === null) return t('none_of_these');
  if (grouping === 'day' && isDay(key)) return formatDay(String(key));
  return name ?? (grouping === 'model' || grouping === 'provider' ? String(key) : `#${key}`);
}

const heightOf = (row: UsageRowDto, measure: Plotted): number | null =>
  measure === 'cost' ? costHeight(row.cost) : row[measure];

/** The usage before the shown days, with the same filters; undefined if there is nothing to compare. */
function usePrevious(days: UsageRowDto[]): (UsageRowDto | undefined)[] | undefined {
  const [parameters] = useSearchParams();
  const first = days[0]?.key;
  const {
    page: _page,
    sort: _sort,
    group_by: _grouping,
    from: _from,
    to: _to,
    ...filters
  } = Object.fromEntries(parameters);
  const { data } = useLoad(
    async () => (isDay(first ?? null) ? usageBefore(String(first), days.length, filters) : undefined),
    [first, days.length, JSON.stringify(filters)],
  );
  return data?.length === days.length ? data : undefined;
}

function UsagePlot({ rows, grouping }: { rows: UsageRowDto[]; grouping: Grouping }): JSX.Element {
  const [chosen, setChosen] = useState<Plotted>();
  const measure = chosen ?? (rows.some(({ cost }) => cost !== null) ? 'cost' : 'tokens');
  const isByDay = grouping === 'day';
  const shown = isByDay
    ? [...rows].sort((one, other) => (String(one.key) < String(other.key) ? -1 : 1))
    : rows.slice(0, MOST_BARS);
  const fits = !isByDay || shown.every(({ key }) => isDay(key));
  const previous = usePrevious(isByDay && fits ? shown : []);
  if (shown.length === 0 || !fits) return <Empty>{null}</Empty>;
  return (
    <div class="stack tight">
      <div class="row">
        <label class="chip">
          {t('measure')}
          <select class="input" onChange={(event) => setChosen(event.currentTarget.value as Plotted)}>
            {PLOTTED.map((name) => (
              <option key={name} value={name} selected={name === measure}>
                {t(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Plot
        title={t(measure)}
        kind={isByDay ? 'days' : 'groups'}
        keys={shown.map((row) => (isByDay ? String(row.key) : nameOf(row, grouping)))}
        series={[
          { label: t(previous ? 'this_period' : measure), values: shown.map((row) => heightOf(row, measure)) },
          ...(previous
            ? [
                {
                  label: t('previous_period'),
                  isFaint: true,
                  values: previous.map((row) => (row ? heightOf(row, measure) : 0)),
                },
              ]
            : []),
        ]}
        format={measure === 'cost' ? costFormat(shown[0]?.currency) : undefined}
        smallestStep={measure === 'cost' ? SMALLEST_COST : undefined}
      />
    </div>
  );
}
