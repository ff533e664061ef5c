import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { SwitchedActions } from '../../../components/admin/switched-actions';

const t = texts('servers');

interface ActionsProps {
  server: McpServerDto;
  onChange: () => void;
}

/** Buttons to disable, enable and delete an MCP server. */
export function ServerActions({ server: { id, label, is_active: isActive }, onChange }: ActionsProps): JSX.Element {
  const path = { id };
  return (
    <SwitchedActions
      isActive={isActive}
      onSwitch={(active) => api.admin.mcpServers.update({ path, body: { is_active: active } })}
      onDelete={(force) => api.admin.mcpServers.remove({ path, query: { force } })}
      inUse="MCP_SERVER_IN_USE"
      place="/admin/servers"
      onChange={onChange}
      words={{
        switchOn: t('switch_on'),
        switchOff: t('switch_off'),
        switchOffTitle: t('switch_off_title', { label }),
        switchOffText: t('switch_off_text'),
        switchedOn: t('server_switched_on', { label }),
        switchedOff: t('server_switched_off', { label }),
        deleteTitle: t('delete_title', { label }),
        deleteText: t('delete_text'),
        deleteUsedText: (count) => t('delete_used_text', { count }),
        deleted: t('server_deleted', { label }),
      }}
    />
  );
}
