import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const HEIGHT = 200;
/** Margins for the names below and the numbers on the left. */
const [BELOW, BESIDE, ABOVE] = [24, 56, 8];
/** Minimum width of an axis label in pixels, and width of a character. */
const [NAME_WIDTH, CHARACTER_WIDTH] = [48, 7.5];

interface PictureProps {
  label: string;
  kind: 'days' | 'groups';
  /** Axis labels, one for each position. */
  names: string[];
  /** Tooltip text for each position. */
  hints: string[];
  series: { values: (number | null)[]; isFaint?: boolean }[];
  format: (value: number) => string;
  /** Smallest distance between axis values: 1 for counts, less for measured values. */
  smallestStep: number;
}

/** A line chart over days or a bar chart of groups, as SVG. The style sheet sets the colours for light and dark. */
export function PlotPicture({ label, kind, names, hints, series, format, smallestStep }: PictureProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!host.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(host.current);
    return () => observer.disconnect();
  }, []);

  const top = Math.max(0, ...series.flatMap(({ values }) => values).map((value) => value ?? 0));
  const steps = stepsTo(top, smallestStep);
  const height = HEIGHT - BELOW - ABOVE;
  const place = (width - BESIDE) / Math.max(1, names.length);
  const x = (index: number): number => BESIDE + (index + 0.5) * place;
  const y = (value: number): number => ABOVE + height * (1 - value / (steps.at(-1) ?? 1));
  const nameWidth = Math.max(NAME_WIDTH, ...names.map((name) => name.length * CHARACTER_WIDTH + 8));
  const every = Math.max(1, Math.ceil(nameWidth / place));

  return (
    <div ref={host} class="plot-picture" role="img" aria-label={label}>
      {width > BESIDE && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {steps.map((step) => (
            <g key={step}>
              <line class="plot-grid" x1={BESIDE} x2={width} y1={y(step)} y2={y(step)} />
              <text x={BESIDE - 8} y={y(step) + 4} text-anchor="end">
                {format(step)}
              </text>
            </g>
          ))}
          {names.map(
            (name, index) =>
              index % every === 0 &&
              x(index) + (name.length * CHARACTER_WIDTH) / 2 <= width && (
                <text key={index} x={x(index)} y={HEIGHT - 6} text-anchor="middle">
                  {name}
                </text>
              ),
          )}
          {series.map(({ values, isFaint }, index) => (
            <g key={index} class={`plot-series-${isFaint ? 'faint' : index}`}>
              {kind === 'days' ? (
                <path class="plot-line" d={linePath(values, x, y)} />
              ) : (
                values.map((value, at) => (
                  <rect
                    key={at}
                    x={x(at) + place * (index / series.length - 0.5) * 0.8}
                    y={y(value ?? 0)}
                    width={(place * 0.8) / series.length}
                    height={y(0) - y(value ?? 0)}
                  />
                ))
              )}
              {kind === 'days' &&
                values.map((value, at) => value !== null && <circle key={at} cx={x(at)} cy={y(value)} r={2} />)}
            </g>
          ))}
          {hints.map((hint, index) => (
            <rect key={index} class="plot-place" x={x(index - 0.5)} y={ABOVE} width={place} height={height}>
              <title>{hint}</title>
            </rect>
          ))}
        </svg>
      )}
    </div>
  );
}

/** Returns 0 and up to five multiples of 1, 2 or 5 times a power of ten, at least the smallest step apart. */
function stepsTo(top: number, smallest: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(top === 0 ? 1 : smallest, top / 4)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size * 4 >= top) ?? 10 * power;
  const count = Math.max(1, Math.ceil(top / step));
  return Array.from({ length: count + 1 }, (_none, index) => index * step);
}

/** The path of a line, with gaps where values are missing. */
function linePath(values: (number | null)[], x: (index: number) => number, y: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const isFirst = index === 0 || values[index - 1] === null;
      return `${isFirst ? 'M' : 'L'}${x(index).toFixed(1)},${y(value).toFixed(1)}`;
    })
    .join('');
}
