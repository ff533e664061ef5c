import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { instantOf, localTime } from '../../components/form/entries';
import { Checkbox, Form, TextField } from '../../components/form/form';

const t = texts('webhooks');

const DAY_MILLISECONDS = 86_400_000;

/** Sends the events of a period again, and shows how many there are. */
export function ReplayDialog({ webhookId, onClose }: { webhookId: number; onClose: () => void }): JSX.Element {
  const [result, setResult] = useState<string>();
  const replay = async (entries: FormData): Promise<void> => {
    const to = instantOf(entries, 'to');
    const { message } = await api.webhooks.replay({
      path: { id: webhookId },
      body: {
        from: instantOf(entries, 'from') ?? '',
        ...(to !== null && { to }),
        only_failed: entries.has('only_failed'),
      },
    });
    setResult(message);
  };
  return (
    <Dialog title={t('replay')} onClose={onClose}>
      {result === undefined ? (
        <>
          <p>{t('replay_text')}</p>
          <Form action={t('replay_action')} onSubmit={replay}>
            <TextField
              label={t('from')}
              name="from"
              type="datetime-local"
              defaultValue={localTime(new Date(Date.now() - DAY_MILLISECONDS).toISOString())}
              required
            />
            <TextField label={t('to')} name="to" type="datetime-local" hint={t('to_hint')} />
            <Checkbox label={t('only_failed')} name="only_failed" checked />
          </Form>
        </>
      ) : (
        <>
          <p class="notice success" role="status">
            {result}
          </p>
          <div class="row end">
            <Button kind="primary" onClick={onClose}>
              {t('done')}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
