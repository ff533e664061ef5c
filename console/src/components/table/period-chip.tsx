import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatDay } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Button } from '../button';
import { Icon } from '../icon';

const t = texts('admin');

/** Lengths of a period, in days until today. */
const LENGTHS = [1, 7, 30, 90];

const DAY_MILLISECONDS = 86_400_000;

interface PeriodChipProps {
  /** UTC days, `YYYY-MM-DD`, or instants. */
  from: string | undefined;
  to: string | undefined;
  /** Days until today, if `from` and `to` are empty; absent: any time. */
  preset?: number;
  onChange: (changes: { from: string; to: string }) => void;
}

/** The first day of a period of so many days that ends today. */
function firstDay(length: number): string {
  return new Date(Date.now() - (length - 1) * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

function nameOf(from: string, to: string, preset: number | undefined): string {
  if (from === '' && to === '') return preset === undefined ? t('period') : lastDays(preset);
  const length = to === '' ? LENGTHS.find((days) => firstDay(days) === from) : undefined;
  if (length !== undefined) return lastDays(length);
  return `${from && formatDay(from)} – ${to && formatDay(to)}`.trim();
}

function lastDays(length: number): string {
  return length === 1 ? t('today') : t('last_days', { number: length });
}

/** The period of a list: one of the usual lengths, or any two days. */
export function PeriodChip({ preset, onChange, ...period }: PeriodChipProps): JSX.Element {
  // A link may give the instant at which a budget began.
  const [from, to] = [period.from ?? '', period.to ?? ''].map((day) => day.slice(0, 10)) as [string, string];
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class={`button chip-button ${from || to ? 'used' : ''}`}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {nameOf(from, to, preset)}
        <Icon name="descending" />
      </button>
      {isOpen && (
        <div class="period row" role="group" aria-label={t('period')}>
          {LENGTHS.map((length) => (
            <Button key={length} kind="quiet" onClick={() => onChange({ from: firstDay(length), to: '' })}>
              {lastDays(length)}
            </Button>
          ))}
          {preset === undefined && (from !== '' || to !== '') && (
            <Button kind="quiet" onClick={() => onChange({ from: '', to: '' })}>
              {t('no_period')}
            </Button>
          )}
          <label class="chip">
            {t('from')}
            <input
              class="input"
              type="date"
              name="from"
              value={from}
              onChange={(event) => onChange({ from: event.currentTarget.value, to })}
            />
          </label>
          <label class="chip">
            {t('to')}
            <input
              class="input"
              type="date"
              name="to"
              value={to}
              onChange={(event) => onChange({ from, to: event.currentTarget.value })}
            />
          </label>
        </div>
      )}
    </>
  );
}
