import { isApiError, type McpToolDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../../app/api';
import { failureText } from '../../../../app/failure-text';
import { texts } from '../../../../app/i18n/languages';
import { toast } from '../../../../app/toasts';
import { visibleText } from '../../../../components/acting/visible-json';
import { Button } from '../../../../components/button';
import { Dialog } from '../../../../components/dialog';
import { Facts } from '../../../../components/facts';
import { DefinitionView } from './definition-view';
import { isChanged, mayBeApproved, Problems, ToolBadge } from './tool-state';

const t = texts('servers');
const admin = texts('admin');

type Decision = 'approved' | 'blocked' | 'quarantined';

interface ReviewProps {
  serverId: number;
  tool: McpToolDto;
  onClose: () => void;
  onChange: () => void;
}

/** A tool's definition with the decision buttons. The decision applies to exactly the version shown. */
export function ToolReview({ serverId, tool, onClose, onChange }: ReviewProps): JSX.Element {
  const [shown, setShown] = useState(tool);
  /** Whether the tool had changed when the administrator decided. */
  const [isNewer, setIsNewer] = useState(false);
  const [decision, setDecision] = useState<Decision>();
  const { name, told_name, state, pin, definition, approved_definition } = shown;

  const decide = async (wanted: Decision): Promise<void> => {
    setDecision(wanted);
    try {
      await api.admin.mcpServers.decide({ path: { id: serverId, name }, body: { state: wanted, pin } });
      toast(t(`decided_${wanted}`, { name }));
      onClose();
      onChange();
    } catch (error) {
      const present = isApiError(error, 'MCP_TOOL_CHANGED') ? await newest(serverId, name) : undefined;
      if (present) {
        setShown(present);
        setIsNewer(true);
        onChange();
      } else toast(failureText(error), { isFailure: true });
      setDecision(undefined);
    }
  };
  const button = (wanted: Decision, label: string, kind: 'primary' | 'danger' | 'plain'): JSX.Element => (
    <Button kind={kind} busy={decision === wanted} onClick={() => void decide(wanted)}>
      {label}
    </Button>
  );
  return (
    <Dialog title={t('review_title', { name: visibleText(name) })} onClose={onClose}>
      {isNewer && (
        <p class="notice warning" role="alert">
          {t(state === 'gone' ? 'gone_meanwhile' : 'changed_meanwhile')}
        </p>
      )}
      <Facts
        facts={[
          [admin('status'), <ToolBadge key="state" tool={shown} />],
          [t('told_name'), <code key="told">{told_name}</code>],
        ]}
      />
      <Problems tool={shown} />
      {definition === null ? (
        <p class="soft">{t('not_kept')}</p>
      ) : (
        <>
          <DefinitionView present={definition} approved={isChanged(shown) ? approved_definition : null} />
          <p class="soft">{t('pin_text')}</p>
        </>
      )}
      <div class="row">
        {mayBeApproved(shown) && button('approved', t(isChanged(shown) ? 'approve_change' : 'approve'), 'primary')}
        {(state === 'quarantined' || state === 'approved') && button('blocked', t('block'), 'danger')}
        {(state === 'approved' || state === 'blocked') && button('quarantined', t('take_back'), 'plain')}
      </div>
    </Dialog>
  );
}

/** The current version of the tool; undefined if it cannot be read. */
async function newest(id: number, name: string): Promise<McpToolDto | undefined> {
  try {
    for await (const tool of api.admin.mcpServers.tools({ path: { id }, query: { size: 100 } })) {
      if (tool.name === name) return tool;
    }
  } catch {
    // The failed decision itself is reported.
  }
  return undefined;
}
