import '../../../styles/parts/table.css';
import type { PriceDifferenceDto, PriceImportDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Select } from '../../../components/form/form';
import { UserText } from '../../../components/user-text';
import { type RateName, RATES } from './price-rates';

const t = texts('money');
const admin = texts('admin');
const shell = texts('shell');

const TONES = { added: 'success', changed: 'accent', skipped: '' } as const;
const RESULTS = ['added', 'changed', 'skipped'] as const;

/** Lists have thousands of models, so the rows are rendered in steps. */
const ROWS_AT_ONCE = 100;

/** The changes that an import would make to each model in the list. */
export function Differences({ report }: { report: PriceImportDto }): JSX.Element {
  const [shown, setShown] = useState('');
  const [count, setCount] = useState(ROWS_AT_ONCE);
  const rows = report.differences.filter(({ result }) => shown === '' || result === shown);
  return (
    <>
      <p role="status">
        {t('differences_sum', {
          added: report.added,
          changed: report.changed,
          unchanged: report.unchanged,
          skipped: report.skipped,
        })}
      </p>
      {report.differences.length > 0 && (
        <>
          <div class="narrow">
            <Select
              name="shown"
              label={t('shown')}
              choices={[
                { value: '', label: shell('all') },
                ...RESULTS.map((value) => ({ value, label: t(`result_${value}`) })),
              ]}
              value={shown}
              onChange={setShown}
            />
          </div>
          <div class="table-scroll differences" role="region" aria-label={t('differences')} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{admin('model')}</th>
                  <th scope="col">{t('result')}</th>
                  <th scope="col">{admin('before')}</th>
                  <th scope="col">{admin('after')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, count).map((difference, index) => (
                  <Row key={index} difference={difference} />
                ))}
              </tbody>
            </table>
          </div>
          {rows.length > count && (
            <div class="row">
              <Button onClick={() => setCount(count + ROWS_AT_ONCE)}>
                {t('show_more', { left: formatNumber(rows.length - count) })}
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}

function Row({ difference }: { difference: PriceDifferenceDto }): JSX.Element {
  const { provider, model, result, reason, before, after } = difference;
  const differing = RATES.filter((name) => (before?.[name] ?? null) !== (after?.[name] ?? null));
  const tiers = (side: PriceDifferenceDto['after']): string =>
    side && side.tiers.length > 0 ? t('tiers_count', { count: side.tiers.length }) : '';
  const side = (parts: PriceDifferenceDto['after'], names: readonly RateName[]): string[] => [
    ...names.map((name) => `${t(name)}: ${parts?.[name] ?? '—'}`),
    ...(JSON.stringify(before?.tiers ?? []) === JSON.stringify(after?.tiers ?? []) ? [] : [tiers(parts) || '—']),
  ];
  return (
    <tr>
      <td>
        <UserText>{model}</UserText>
        <br />
        <span class="soft">{provider === null ? t('any_provider') : <UserText>{provider}</UserText>}</span>
      </td>
      <td>
        <Badge tone={TONES[result]}>{t(`result_${result}`)}</Badge>
        {reason && <p class="soft">{t(`reason_${reason}`)}</p>}
      </td>
      <td>{result === 'changed' && <Lines lines={side(before, differing)} />}</td>
      <td>{after && <Lines lines={side(after, differing)} />}</td>
    </tr>
  );
}

function Lines({ lines }: { lines: string[] }): JSX.Element {
  return (
    <ul class="bare">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
