import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Select } from '../../../components/form/form';
import { Show } from '../../../components/states';

const t = texts('tools');
const manage = texts('manage');
const shell = texts('shell');

const PERIODS = ['7', '30', '90'] as const;

const COUNTS = ['runs', 'calls', 'succeeded', 'failed', 'refused', 'unknown'] as const;

/** How often each tool was called in the last days, what became of it, and how long it took. */
export function ToolNumbers(): JSX.Element {
  const [days, setDays] = useState('30');
  const from = new Date(Date.now() - (Number(days) - 1) * 86_400_000).toISOString().slice(0, 10);
  const loaded = useLoad(async () => (await api.admin.tools.statistics({ query: { from } })).data.tools, [from]);
  const title = t('statistics', { days });
  return (
    <section class="stack" aria-label={title}>
      <div class="row spread">
        <h2>{title}</h2>
        <Select
          name="days"
          label={t('period')}
          choices={PERIODS.map((count) => ({ value: count, label: manage('days', { count: Number(count) }) }))}
          value={days}
          onChange={setDays}
        />
      </div>
      <Show loaded={loaded}>
        {(tools) =>
          tools.length === 0 ? (
            <p class="soft">{shell('nothing_found')}</p>
          ) : (
            <div class="table-scroll" tabIndex={0} role="group" aria-label={title}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t('tool')}</th>
                    {[...COUNTS, 'average' as const, 'longest' as const].map((name) => (
                      <th key={name} scope="col" class="number">
                        {t(name)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {tools.map((row) => (
                    <tr key={row.tool}>
                      <th scope="row">
                        <code>{row.tool}</code>
                      </th>
                      {COUNTS.map((name) => (
                        <td key={name} class="number">
                          {formatNumber(row[name])}
                        </td>
                      ))}
                      <td class="number">{formatDuration(row.average_ms)}</td>
                      <td class="number">{formatDuration(row.longest_ms)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Show>
    </section>
  );
}
