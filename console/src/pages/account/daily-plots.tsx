import '../../styles/plot.css';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { texts } from '../../languages';
import { Plot } from '../../parts/plot';

const t = texts('account');

interface Day {
  date: string;
  messages: number;
  tokens: number;
}

/** Messages and tokens over the days; they are too different in size for one plot. */
export function DailyPlots({ days }: { days: Day[] }): JSX.Element {
  const keys = useMemo(() => days.map(({ date }) => date), [days]);
  return (
    <div class="plots">
      <DailyPlot
        title={t('messages_by_day')}
        label={t('messages')}
        keys={keys}
        values={days.map((day) => day.messages)}
      />
      <DailyPlot title={t('tokens_by_day')} label={t('tokens')} keys={keys} values={days.map((day) => day.tokens)} />
    </div>
  );
}

interface DailyPlotProps {
  title: string;
  label: string;
  keys: string[];
  values: number[];
}

function DailyPlot({ title, label, keys, values }: DailyPlotProps): JSX.Element {
  // The plot is drawn anew only when it gets another list.
  const series = useMemo(() => [{ label, values }], [label, keys]);
  return <Plot title={title} keys={keys} kind="days" series={series} />;
}
