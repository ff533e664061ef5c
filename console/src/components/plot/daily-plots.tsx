import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Plot } from './plot';

export interface Day {
  /** A UTC day, `YYYY-MM-DD`. */
  date: string;
  messages: number;
  tokens: number;
}

type Measure = 'messages' | 'tokens';

interface DailyPlotsProps {
  days: Day[];
  /** What is counted. */
  labels: Record<Measure, string>;
  /** What stands above; the labels without it. */
  titles?: Record<Measure, string>;
}

/** Messages and tokens over the days; they are too different in size for one plot. */
export function DailyPlots({ days, labels, titles = labels }: DailyPlotsProps): JSX.Element {
  const keys = useMemo(() => days.map(({ date }) => date), [days]);
  return (
    <div class="plots">
      {(['messages', 'tokens'] as const).map((measure) => (
        <DailyPlot
          key={measure}
          title={titles[measure]}
          label={labels[measure]}
          keys={keys}
          values={days.map((day) => day[measure])}
        />
      ))}
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
