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
  /** Models already listed elsewhere on the page. */
  except: readonly string[];
  /** A change reloads the models. */
  version: number;
  onPrice: (model: string) => void;
}

/** Models with requests of unknown cost in the last 30 days. */
export function Unpriced({ except, version, onPrice }: UnpricedProps): JSX.Element | null {
  const { data = [] } = useLoad(async () => {
    const query = { group_by: 'model', sort: '-unpriced', size: MOST_SHOWN } as const;
    return (await api.admin.stats.usage({ query })).data.items.filter(({ key, unpriced }) => key !== null && unpriced);
  }, [version]);
  const shown = data.filter(({ key }) => !except.includes(String(key)));
  if (shown.length === 0) return null;
  return (
    <div class="notice warning stack tight">
      <p>{t('unpriced_hint')}</p>
      <ul class="bare stack tight">
        {shown.map(({ key, unpriced }) => (
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
