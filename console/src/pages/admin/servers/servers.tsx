import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, saveFile } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { ServerFindings } from './server-findings';
import { hostOf, ServerBadge } from './server-state';
import { ImportServers } from './servers-import';

const t = texts('servers');
const admin = texts('admin');
const manage = texts('manage');

export function Servers(): JSX.Element {
  const [version, change] = useVersion();
  const [tried, setTried] = useState<McpServerDto>();
  const [isImporting, setIsImporting] = useState(false);
  const exportAll = async (): Promise<void> => {
    const { data } = await api.admin.mcpServers.export();
    saveFile(`${JSON.stringify(data, null, 2)}\n`, 'mcp-servers.json');
  };
  return (
    <Page
      title={admin('page_servers')}
      actions={
        <>
          <Button icon="download" onClick={() => void attempt(exportAll)}>
            {manage('export_json')}
          </Button>
          <Button icon="upload" onClick={() => setIsImporting(true)}>
            {manage('import_json')}
          </Button>
          <Link href="/admin/servers/new" class="button primary">
            <Icon name="plus" />
            {t('new_server')}
          </Link>
        </>
      }
    >
      <p class="soft">{t('servers_text')}</p>
      <DataTable
        label={admin('page_servers')}
        version={version}
        load={async ({ page }) =>
          (await api.admin.mcpServers.list({ query: page === undefined ? {} : { page: Number(page) } })).data
        }
        columns={[
          {
            name: 'label',
            label: t('label'),
            cell: ({ id, label }) => (
              <Link href={`/admin/servers/${id}`}>
                <code>{label}</code>
              </Link>
            ),
          },
          { name: 'host', label: t('host'), cell: ({ url }) => <span class="address">{hostOf(url)}</span> },
          { name: 'auth', label: t('auth'), cell: ({ auth }) => t(`auth_${auth}`) },
          { name: 'status', label: admin('status'), cell: (server) => <ServerBadge server={server} /> },
          {
            name: 'waiting',
            label: t('waiting_tools'),
            isNumber: true,
            cell: ({ id, label, waiting_tools: count }) =>
              count === 0 ? (
                formatNumber(0)
              ) : (
                <Link href={`/admin/servers/${id}?state=quarantined`} aria-label={t('waiting_of', { count, label })}>
                  {formatNumber(count)}
                </Link>
              ),
          },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (server) => (
              <Button aria-label={t('test_title', { label: server.label })} onClick={() => setTried(server)}>
                {t('test')}
              </Button>
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_servers')}</p>}
      />
      {tried && (
        <ServerFindings
          server={tried}
          onClose={() => {
            setTried(undefined);
            change();
          }}
        />
      )}
      {isImporting && <ImportServers onClose={() => setIsImporting(false)} onChange={change} />}
    </Page>
  );
}
