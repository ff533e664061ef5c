import '../../styles/parts/plot.css';
import '../../styles/parts/table.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatDay, formatNumber, formatShort, formatShortDay } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { PlotPicture } from './plot-picture';

const t = texts('shell');

export interface Series {
  label: string;
  values: (number | null)[];
}

interface PlotProps {
  title: string;
  /** What the values belong to: UTC days (`YYYY-MM-DD`), or the names of groups. */
  keys: string[];
  kind: 'days' | 'groups';
  series: Series[];
  format?: (value: number) => string;
  /** The smallest step of the axis; absent: 1, because most is counted. */
  smallestStep?: number;
}

/** A course over days or a distribution over groups. The picture is mute, so the same figures stand in a table. */
export function Plot({ title, keys, kind, series, format, smallestStep = 1 }: PlotProps): JSX.Element {
  // Most of the elements of a page with plots would be in tables that nobody opens.
  const [isTableOpen, setIsTableOpen] = useState(false);
  const nameOf = (key: string): string => (kind === 'days' ? formatDay(key) : key);
  const figureOf = (value: number | null | undefined): string =>
    value === null || value === undefined ? '—' : (format ?? formatNumber)(value);
  return (
    <figure class="plot card stack">
      <figcaption class="row spread">
        <h2>{title}</h2>
        {series.length > 1 && (
          <span class="row">
            {series.map(({ label }, index) => (
              <span key={label} class={`plot-key plot-key-${index}`}>
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
        series={series.map(({ values }) => values)}
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
                  <th scope="col">{kind === 'days' ? t('day') : t('group')}</th>
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
