import type { RecomputeCostsDto, RecomputedCostsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { Facts } from '../../../components/facts';
import { Form, TextField, textOf } from '../../../components/form/form';
import { Money } from '../../../components/money/money';

const t = texts('money');
const admin = texts('admin');

/** Recalculates past costs with the current prices. First it shows a preview. */
export function Recompute({ onClose }: { onClose: () => void }): JSX.Element {
  const [asked, setAsked] = useState<RecomputeCostsDto>();
  const [result, setResult] = useState<RecomputedCostsDto>();
  const today = new Date().toISOString().slice(0, 10);

  const run = async (body: RecomputeCostsDto, dry_run: boolean): Promise<void> => {
    const { data } = await api.admin.prices.recompute({ body: { ...body, dry_run } });
    setAsked(body);
    setResult(data);
  };
  const look = (entries: FormData): Promise<void> =>
    run({ from: textOf(entries, 'from'), to: textOf(entries, 'to'), reason: textOf(entries, 'reason').trim() }, true);

  return (
    <Dialog title={t('recompute')} onClose={onClose}>
      {!asked || !result ? (
        <Form action={t('see_result')} onSubmit={look}>
          <p class="soft">{t('recompute_hint')}</p>
          <TextField
            name="from"
            type="date"
            label={admin('from')}
            defaultValue={`${today.slice(0, 8)}01`}
            max={today}
            required
          />
          <TextField name="to" type="date" label={admin('to')} defaultValue={today} max={today} required />
          <TextField name="reason" label={admin('reason')} hint={t('recompute_reason_hint')} maxLength={500} required />
        </Form>
      ) : (
        <>
          <p role="status">{t(result.dry_run ? 'would_recompute' : 'recomputed')}</p>
          <Facts
            facts={[
              [t('requests'), formatNumber(result.rows)],
              [admin('before'), <Money key="before" amount={result.before} currency={result.currency} />],
              [admin('after'), <Money key="after" amount={result.after} currency={result.currency} />],
            ]}
          />
          {result.dry_run ? (
            <Form
              action={t('change_costs')}
              isDangerous
              onSubmit={() => run(asked, false)}
              beside={<Button onClick={() => setResult(undefined)}>{t('back')}</Button>}
            >
              <p class="soft">{t('change_costs_hint')}</p>
            </Form>
          ) : (
            <div class="row end">
              <Button kind="primary" onClick={onClose}>
                {t('done')}
              </Button>
            </div>
          )}
        </>
      )}
    </Dialog>
  );
}
