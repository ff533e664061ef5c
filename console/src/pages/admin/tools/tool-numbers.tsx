import type { ToolStatisticsRowDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Select } from '../../../components/form/form';
import { Show } from '../../../components/states';
import { type Column, TableRows } from '../../../components/table/table-rows';

const t = texts('manage');
const table = texts('table');

const PERIODS = ['7', '30', '90'] as const;

const COUNTS = ['runs', 'calls', 'succeeded', 'failed', 'refused', 'unknown'] as const;

/** Calls, outcomes and durations of each tool in the last days. */
export function ToolNumbers(): JSX.Element {
  const [days, setDays] = useState('30');
  const from = new Date(Date.now() - (Number(days) - 1) * 86_400_000).toISOString().slice(0, 10);
  const loaded = useLoad(async () => (await api.admin.tools.statistics({ query: { from } })).data.tools, [from]);
  const title = t('tool_statistics', { days });
  return (
    <section class="stack">
      <div class="row spread">
        <h2>{title}</h2>
        <Select
          name="days"
          label={t('tool_period')}
          choices={PERIODS.map((count) => ({ value: count, label: t('days', { count: Number(count) }) }))}
          value={days}
          onChange={setDays}
        />
      </div>
      <Show loaded={loaded}>
        {(tools) =>
          tools.length === 0 ? (
            <p class="soft">{table('nothing_found')}</p>
          ) : (
            <TableRows label={title} columns={columns()} rows={tools} rowKey={({ tool }) => tool} />
          )
        }
      </Show>
    </section>
  );
}

function columns(): Column<ToolStatisticsRowDto>[] {
  const number = (
    name: (typeof COUNTS)[number] | 'average' | 'longest',
    cell: (row: ToolStatisticsRowDto) => string,
  ): Column<ToolStatisticsRowDto> => ({
    name,
    label: t(`tool_${name}`),
    isNumber: true,
    cell,
  });
  return [
    { name: 'tool', label: t('tool_tool'), cell: ({ tool }) => <code>{tool}</code> },
    ...COUNTS.map((name) => number(name, (row) => formatNumber(row[name]))),
    number('average', ({ average_ms }) => formatDuration(average_ms)),
    number('longest', ({ longest_ms }) => formatDuration(longest_ms)),
  ];
}
