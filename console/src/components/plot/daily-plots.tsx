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
  /** Names of the measures. */
  labels: Record<Measure, string>;
  /** Headings of the charts; the labels by default. */
  titles?: Record<Measure, string>;
}

/** Two charts, because messages and tokens differ too much in size. */
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
  // The memoized list avoids a redraw on every render.
  const series = useMemo(() => [{ label, values }], [label, keys]);
  return <Plot title={title} keys={keys} kind="days" series={series} />;
}
