import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { FindingsDialog } from '../../../components/admin/findings-dialog';
import { Facts } from '../../../components/facts';
import { UserText } from '../../../components/user-text';
import { hostOf } from './server-state';

const t = texts('servers');

interface FindingsProps {
  server: Pick<McpServerDto, 'id' | 'label' | 'url'>;
  onClose: () => void;
}

/** Tests an MCP server and shows the service's message if it fails. */
export function ServerFindings({ server: { id, label, url }, onClose }: FindingsProps): JSX.Element {
  return (
    <FindingsDialog
      title={t('test_title', { label })}
      again={t('test_again')}
      find={async () => (await api.admin.mcpServers.test({ path: { id } })).data}
      onClose={onClose}
    >
      {(found) => (
        <div class="stack">
          <p class={`notice ${found.ok ? 'success' : 'danger'}`}>{found.message}</p>
          <Facts
            facts={[
              [t('host'), <span key="host">{hostOf(url)}</span>],
              found.server_name !== null && [
                t('server_name'),
                <UserText key="name">{[found.server_name, found.server_version].filter(Boolean).join(' ')}</UserText>,
              ],
              found.mismatch !== null && [
                t('mismatch_expected', { field: found.mismatch.field }),
                <UserText key="expected">{found.mismatch.expected}</UserText>,
              ],
              found.mismatch !== null && [
                t('mismatch_actual', { field: found.mismatch.field }),
                <UserText key="actual">{found.mismatch.actual || '–'}</UserText>,
              ],
              found.protocol !== null && [t('protocol'), found.protocol],
              found.tools !== null && [t('tools'), formatNumber(found.tools)],
              [t('took'), formatDuration(found.duration_ms)],
            ]}
          />
        </div>
      )}
    </FindingsDialog>
  );
}
