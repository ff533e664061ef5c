import '../../styles/parts/plot.css';
import '../../styles/parts/table.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatDay, formatNumber, formatShort, formatShortDay } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { PlotPicture } from './plot-picture';

const t = texts('table');
const shell = texts('shell');

export interface Series {
  label: string;
  values: (number | null)[];
  /** Drawn in grey, for comparison. */
  isFaint?: boolean;
}

interface PlotProps {
  title: string;
  /** The x-axis: UTC days (`YYYY-MM-DD`) or group names. */
  keys: string[];
  kind: 'days' | 'groups';
  series: Series[];
  format?: (value: number) => string;
  /** The smallest step of the axis. The default is 1, for counts. */
  smallestStep?: number;
}

/** A chart of values over days or groups. Screen readers cannot read the SVG, so a table shows the same values. */
export function Plot({ title, keys, kind, series, format, smallestStep = 1 }: PlotProps): JSX.Element {
  // The table renders only when open. Otherwise it would add most of the page's elements.
  const [isTableOpen, setIsTableOpen] = useState(false);
  const nameOf = (key: string): string => (kind === 'days' ? formatDay(key) : key);
  const figureOf = (value: number | null | undefined): string =>
    value === null || value === undefined ? '—' : (format ?? formatNumber)(value);
  return (
    <figure class="plot stack">
      <figcaption class="row spread">
        <h2>{title}</h2>
        {series.length > 1 && (
          <span class="row">
            {series.map(({ label, isFaint }, index) => (
              <span key={label} class={`plot-key plot-key-${isFaint ? 'faint' : index}`}>
                {label}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <PlotPicture
        label={t('plot_of', { title })}
        kind={kind}
        names={keys.map((key) => shortKey(key, kind))}
        hints={keys.map((key, index) =>
          [nameOf(key), ...series.map(({ label, values }) => `${label}: ${figureOf(values[index])}`)].join('\n'),
        )}
        series={series}
        format={format ?? formatShort}
        smallestStep={smallestStep}
      />
      <details onToggle={(event) => setIsTableOpen(event.currentTarget.open)}>
        <summary>{t('as_table')}</summary>
        {isTableOpen && (
          <div class="table-scroll" role="region" aria-label={title} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{kind === 'days' ? shell('day') : shell('group')}</th>
                  {series.map(({ label }) => (
                    <th key={label} scope="col" class="number">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {keys.map((key, index) => (
                  <tr key={key}>
                    <th scope="row">{nameOf(key)}</th>
                    {series.map(({ label, values }) => (
                      <td key={label} class="number">
                        {figureOf(values[index])}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </details>
    </figure>
  );
}

function shortKey(key: string, kind: PlotProps['kind']): string {
  if (kind === 'groups' || key === '') return key;
  return formatShortDay(key);
}
