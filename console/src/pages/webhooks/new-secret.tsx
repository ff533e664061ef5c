import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Secret } from '../../components/secret';

const t = texts('webhooks');

/** Shows the signing secret, which the service returns only once. */
export function NewSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }): JSX.Element {
  return (
    <Dialog title={t('secret')} onClose={onClose}>
      <Secret label={t('secret')} value={secret} warning={t('secret_warning')} />
      <p>{t('secret_use')}</p>
      <div class="row end">
        <Button kind="primary" onClick={onClose}>
          {t('done')}
        </Button>
      </div>
    </Dialog>
  );
}
