import type { IdentityProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { FindingsDialog } from '../../../components/admin/findings-dialog';
import { Badge } from '../../../components/badge';

const t = texts('company');

/** The checks, in the order in which they run. */
const TRIED = ['discovery', 'keys', 'clock', 'last_claims'] as const;

/** Tests an identity provider and shows the service's messages. */
export function ProviderFindings({
  provider: { id, name },
  onClose,
}: {
  provider: IdentityProviderDto;
  onClose: () => void;
}): JSX.Element {
  return (
    <FindingsDialog
      title={t('test_title', { name })}
      again={t('test_again')}
      find={async () => (await api.admin.identityProviders.test({ path: { id } })).data}
      onClose={onClose}
    >
      {(found) => (
        <ul class="bare stack tight">
          {TRIED.map((what) => (
            <li key={what} class="stack tight line">
              <span class="row">
                <strong>{t(`test_${what}`)}</strong>
                <Badge tone={found[what].ok ? 'success' : 'danger'} icon={found[what].ok ? 'check' : 'warning'}>
                  {t(found[what].ok ? 'finding_good' : 'finding_bad')}
                </Badge>
              </span>
              <span class="written">{found[what].message}</span>
            </li>
          ))}
        </ul>
      )}
    </FindingsDialog>
  );
}
