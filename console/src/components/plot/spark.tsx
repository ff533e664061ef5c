import '../../styles/parts/spark.css';
import type { JSX } from 'preact';

const [WIDTH, HEIGHT] = [120, 28];

/** A small line without axes. The number next to it says what it shows, so screen readers skip it. */
export function Spark({ values }: { values: (number | null)[] }): JSX.Element {
  const top = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - ((value ?? 0) / top) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
