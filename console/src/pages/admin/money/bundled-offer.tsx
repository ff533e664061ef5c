import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { type PriceFile, readBundled } from './price-file';

const t = texts('money');

/** Stands where there is no price yet: what came with the release can be looked at, and taken after that. */
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
