import type { UsageRowDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { sumOf } from '../../../app/i18n/money';
import { useLoad } from '../../../app/use-load';
import { CostLink, UsageLink } from '../../../components/admin/links';
import { UsagePlots } from '../../../components/admin/usage-plots';
import { Figures } from '../../../components/figures';
import { Select } from '../../../components/form/form';
import { Show } from '../../../components/states';

const t = texts('manage');
const admin = texts('admin');

const PERIODS = ['7', '30', '90'] as const;

/** The agent's usage in the last days. */
export function AgentStatistics({ id }: { id: number }): JSX.Element {
  const [days, setDays] = useState('30');
  const from = new Date(Date.now() - (Number(days) - 1) * 86_400_000).toISOString().slice(0, 10);
  const loaded = useLoad(
    async () =>
      Promise.all([
        api.agents.stats({ path: { id }, query: { from } }),
        api.admin.stats.usage({ query: { agent_id: id, from } }),
      ]),
    [id, from],
  );
  return (
    <>
      <div class="row spread">
        <Select
          name="days"
          label={t('period')}
          choices={PERIODS.map((count) => ({ value: count, label: t('days', { count: Number(count) }) }))}
          value={days}
          onChange={setDays}
        />
        <UsageLink query={`agent_id=${id}&from=${from}`} />
      </div>
      <Show loaded={loaded}>
        {([{ data: stats }, { data: usage }]) => (
          <>
            <Figures
              figures={[
                [admin('chats'), formatNumber(stats.chats)],
                [admin('messages'), formatNumber(stats.messages)],
                [admin('tokens'), formatNumber(stats.tokens)],
                [t('ratings'), `+${formatNumber(stats.likes)} −${formatNumber(stats.dislikes)}`],
                [admin('failed_replies'), formatNumber(stats.errors)],
                [
                  admin('first_token'),
                  formatDuration(stats.p50_first_token_ms),
                  `${admin('first_token_p95_ms')}: ${formatDuration(stats.p95_first_token_ms)}`,
                ],
                [
                  admin('cost'),
                  <Cost key="cost" days={usage.items} query={{ agent_id: String(id), from }} />,
                  unpricedOf(usage.items),
                ],
              ]}
            />
            <UsagePlots days={usage.items.map((day) => ({ ...day, date: String(day.key) }))} />
          </>
        )}
      </Show>
    </>
  );
}

function unpricedOf(days: UsageRowDto[]): string | null {
  const sum = days.reduce((before, { unpriced }) => before + unpriced, 0);
  return sum > 0 ? admin('unpriced_too', { number: formatNumber(sum) }) : null;
}

/** The total of the known daily costs; null if none is known. */
function Cost({ days, query }: { days: UsageRowDto[]; query: Record<string, string> }): JSX.Element {
  const costs = days.flatMap(({ cost }) => cost ?? []);
  return (
    <CostLink amount={costs.length > 0 ? sumOf(...costs) : null} currency={days[0]?.currency ?? 'USD'} query={query} />
  );
}
