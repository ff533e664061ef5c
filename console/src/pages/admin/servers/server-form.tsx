import { isApiError, type McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { Form, textOf } from '../../../components/form/form';
import { ServerFields } from './server-fields';

const t = texts('servers');

/** Reasons for which an allowed host is no longer blocked. */
const INTERNAL = ['address_not_public', 'https_required', 'port_not_allowed'];

interface ServerFormProps {
  /** Absent for a new server. */
  server?: McpServerDto;
  action: string;
  onSave: (entries: FormData) => Promise<void>;
}

/** The settings of a server. If its address is blocked because it is internal, the form offers to allow the host. */
export function ServerForm({ server, action, onSave }: ServerFormProps): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const [blocked, setBlocked] = useState<string>();
  const save = async (entries: FormData): Promise<void> => {
    try {
      await onSave(entries);
    } catch (error) {
      const isInternal = isApiError(error, 'MCP_URL_FORBIDDEN') && INTERNAL.includes(String(error.details.reason));
      setBlocked(isInternal ? hostEntryOf(textOf(entries, 'url').trim()) : undefined);
      throw error;
    }
  };
  const allow = async (host: string): Promise<void> => {
    if (await attempt(() => allowHost(host))) form.current?.requestSubmit();
  };
  return (
    <Form
      element={form}
      action={action}
      onSubmit={save}
      beside={blocked && <Button onClick={() => void allow(blocked)}>{t('allow_host', { host: blocked })}</Button>}
    >
      <ServerFields server={server} />
    </Form>
  );
}

/** The host and port of an address, as an entry of the allowed hosts. */
function hostEntryOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, '')}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

async function allowHost(host: string): Promise<void> {
  const { mcp_allowed_hosts: hosts } = (await api.admin.settings.read()).data;
  if (hosts.includes(host)) return;
  await api.admin.settings.update({ body: { mcp_allowed_hosts: [...hosts, host] } });
}
