import { isApiError, type McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useLocation } from 'wouter-preact';
import { api } from '../../../app/api';
import { failureText } from '../../../app/failure-text';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { confirm } from '../../../components/dialog';
import { Menu } from '../../../components/menu';

const t = texts('servers');
const admin = texts('admin');
const manage = texts('manage');

interface ActionsProps {
  server: McpServerDto;
  onChange: () => void;
}

/** Switches a server off and on, and deletes it. */
export function ServerActions({ server, onChange }: ActionsProps): JSX.Element {
  const [, navigate] = useLocation();
  const { id, label, is_active: isActive } = server;
  const path = { id };

  const switchTo = async (active: boolean): Promise<void> => {
    if (await attempt(() => api.admin.mcpServers.update({ path, body: { is_active: active } })))
      toast(t(active ? 'server_switched_on' : 'server_switched_off', { label }));
    onChange();
  };
  const switchOff = async (): Promise<void> => {
    const question = { title: t('switch_off_title', { label }), text: t('switch_off_text'), action: t('switch_off') };
    if (await confirm({ ...question, isDangerous: true })) await switchTo(false);
  };
  const remove = async (force: boolean, text: string): Promise<void> => {
    const question = { title: t('delete_title', { label }), text, action: manage('delete'), isDangerous: true };
    if (!(await confirm(question))) return;
    try {
      await api.admin.mcpServers.remove({ path, query: { force } });
      toast(t('server_deleted', { label }));
      navigate('/admin/servers');
    } catch (error) {
      if (!force && isApiError(error, 'MCP_SERVER_IN_USE'))
        await remove(true, t('delete_used_text', { count: Number(error.details['count']) }));
      else toast(failureText(error), { isFailure: true });
    }
  };
  return (
    <Menu
      label={admin('actions')}
      items={[
        isActive
          ? { label: t('switch_off'), icon: 'stop', onSelect: () => void switchOff() }
          : { label: t('switch_on'), icon: 'check', onSelect: () => void switchTo(true) },
        {
          label: manage('delete'),
          icon: 'trash',
          isDangerous: true,
          onSelect: () => void remove(false, t('delete_text')),
        },
      ]}
    />
  );
}
