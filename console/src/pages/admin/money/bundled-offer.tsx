import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { type PriceFile, readBundled } from './price-file';

const t = texts('money');

/** Offers the bundled price list as long as no price exists. The administrator reviews the list before the import. */
export function BundledOffer({ onOpen }: { onOpen: (file: PriceFile) => void }): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const open = async (): Promise<void> => {
    setIsBusy(true);
    await attempt(async () => onOpen(await readBundled()));
    setIsBusy(false);
  };
  return (
    <>
      <p>{t('no_prices')}</p>
      <p>{t('bundled_hint')}</p>
      <Button kind="primary" busy={isBusy} onClick={() => void open()}>
        {t('see_bundled')}
      </Button>
    </>
  );
}
