import type { PriceDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Menu, type MenuItem } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { BundledOffer } from './bundled-offer';
import { PriceForm } from './price-form';
import { ImportPrices, type PriceFile } from './price-import';
import { FurtherRates, Rate } from './price-rates';
import { Recompute } from './recompute';
import { Unpriced } from './unpriced';
import { UnpricedModels, useUnpricedModels } from './unpriced-models';

const t = texts('money');
const admin = texts('admin');
const manage = texts('manage');

type Opened = { form: 'new' | PriceDto | Pick<PriceDto, 'model'> } | { import: PriceFile | null } | 'recompute';

/** The prices of models with their start dates, the import of price lists, and the recalculation of past costs. */
export function Prices(): JSX.Element {
  const [version, change] = useVersion();
  const [opened, setOpened] = useState<Opened>();
  const [parameters] = useSearchParams();
  const unpriced = useUnpricedModels(version);
  const price = (model: string): void => setOpened({ form: { model } });
  const close = (): void => {
    setOpened(undefined);
    change();
  };
  return (
    <Page
      title={admin('page_prices')}
      actions={
        <>
          <Button onClick={() => setOpened('recompute')}>{t('recompute')}</Button>
          <Button onClick={() => setOpened({ import: null })}>{t('import_prices')}</Button>
          <Button kind="primary" icon="plus" onClick={() => setOpened({ form: 'new' })}>
            {t('new_price')}
          </Button>
        </>
      }
    >
      <p class="soft">{t('prices_hint')}</p>
      <UnpricedModels models={unpriced} onPrice={price} isAll>
        {t('models_no_price')}
      </UnpricedModels>
      <Unpriced version={version} except={unpriced.map(({ model }) => model)} onPrice={price} />
      <DataTable
        label={admin('page_prices')}
        version={version}
        // The parameters come from the page's address. The service validates them.
        load={async (query) => (await api.admin.prices.list({ query: query as object })).data}
        filters={[
          { name: 'q', label: admin('model') },
          { name: 'provider', label: t('provider') },
        ]}
        columns={[
          { name: 'model', label: admin('model'), isSortable: true, cell: (price) => <Model price={price} /> },
          {
            name: 'provider',
            label: t('provider'),
            isSortable: true,
            cell: ({ provider }) =>
              provider === null ? <span class="soft">{t('any_provider')}</span> : <UserText>{provider}</UserText>,
          },
          {
            name: 'valid_from',
            label: t('valid_from'),
            isSortable: true,
            cell: (price) => <ValidFrom price={price} />,
          },
          { name: 'input', label: t('input'), isNumber: true, cell: (price) => <Rate price={price} name="input" /> },
          {
            name: 'cached_input',
            label: t('cached_input'),
            isNumber: true,
            cell: (price) => <Rate price={price} name="cached_input" />,
          },
          { name: 'output', label: t('output'), isNumber: true, cell: (price) => <Rate price={price} name="output" /> },
          { name: 'further', label: t('further'), cell: (price) => <FurtherRates price={price} /> },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (price) => (
              <Menu
                label={manage('actions_of', { name: price.model })}
                items={actionsOf(price, () => setOpened({ form: price }), change)}
              />
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={parameters.has('page') ? null : <BundledOffer onOpen={(file) => setOpened({ import: file })} />}
      />
      {opened === 'recompute' && <Recompute onClose={close} />}
      {typeof opened === 'object' && 'form' in opened && (
        <PriceForm former={opened.form === 'new' ? undefined : opened.form} onClose={close} />
      )}
      {typeof opened === 'object' && 'import' in opened && <ImportPrices given={opened.import} onClose={close} />}
    </Page>
  );
}

function Model({ price: { model } }: { price: PriceDto }): JSX.Element {
  return (
    <>
      <code>
        <bdi>{model}</bdi>
      </code>{' '}
      {model.endsWith('*') && <Badge>{t('prefix')}</Badge>}
    </>
  );
}

function ValidFrom({ price: { valid_from, in_use } }: { price: PriceDto }): JSX.Element {
  const isAhead = Date.parse(valid_from) > Date.now();
  return (
    <div class="stack tight">
      <Time at={valid_from} />
      {isAhead ? <Badge tone="accent">{t('ahead')}</Badge> : in_use && <Badge>{t('in_use')}</Badge>}
    </div>
  );
}

function actionsOf(price: PriceDto, onCopy: () => void, change: () => void): MenuItem[] {
  const remove = async (): Promise<void> => {
    const question = {
      title: t('delete_price_title', { model: price.model }),
      text: t('delete_price_hint'),
      action: manage('delete'),
    };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    if (await attempt(() => api.admin.prices.remove({ path: { id: price.id } }))) toast(t('price_deleted'));
    change();
  };
  return [
    { label: t('follow_up'), icon: 'copy', onSelect: onCopy },
    ...(price.in_use
      ? []
      : [
          {
            label: manage('delete'),
            icon: 'trash' as const,
            isDangerous: true,
            onSelect: () => void remove(),
          },
        ]),
  ];
}
