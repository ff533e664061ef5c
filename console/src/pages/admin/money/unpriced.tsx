import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Button } from '../../../components/button';
import { UserText } from '../../../components/user-text';

const t = texts('money');

const MOST_SHOWN = 10;

interface UnpricedProps {
  /** Changes when it must be read again. */
  version: number;
  onPrice: (model: string) => void;
}

/** The models that were used in the last 30 days and have requests without a price: their cost is not known. */
export function Unpriced({ version, onPrice }: UnpricedProps): JSX.Element | null {
  const { data = [] } = useLoad(async () => {
    const query = { group_by: 'model', sort: '-unpriced', size: MOST_SHOWN } as const;
    return (await api.admin.stats.usage({ query })).data.items.filter(({ key, unpriced }) => key !== null && unpriced);
  }, [version]);
  if (data.length === 0) return null;
  return (
    <div class="notice warning stack tight">
      <p>{t('unpriced_hint')}</p>
      <ul class="bare stack tight">
        {data.map(({ key, unpriced }) => (
          <li key={key} class="row">
            <UserText>{String(key)}</UserText>
            <span class="soft">{t('requests_count', { count: unpriced, number: formatNumber(unpriced) })}</span>
            <Button aria-label={t('price_for', { model: String(key) })} onClick={() => onPrice(String(key))}>
              {t('new_price')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
