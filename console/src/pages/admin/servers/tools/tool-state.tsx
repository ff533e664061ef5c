import type { McpToolDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../../../app/i18n/languages';
import { Badge } from '../../../../components/badge';

const t = texts('servers');

export const TOOL_STATES = ['quarantined', 'approved', 'blocked', 'gone'] as const;

const TONES = { quarantined: 'warning', approved: 'success', blocked: 'danger', gone: '' } as const;

const FATAL: readonly string[] = ['too_large', 'too_deep', 'invalid_schema', 'needs_task', 'duplicate_name'];

/** Whether the current version of a tool can be approved. */
export function mayBeApproved({ state, definition, problems }: McpToolDto): boolean {
  const isOpen = state === 'quarantined' || state === 'blocked';
  return isOpen && definition !== null && !problems.some((problem) => FATAL.includes(problem));
}

/** Whether a tool has changed since its approval. */
export function isChanged({ state, approved_definition }: McpToolDto): boolean {
  return state === 'quarantined' && approved_definition !== null;
}

export function ToolBadge({ tool }: { tool: McpToolDto }): JSX.Element {
  return <Badge tone={TONES[tool.state]}>{t(isChanged(tool) ? 'state_changed' : `state_${tool.state}`)}</Badge>;
}

/** The problems of a tool, as text. */
export function Problems({ tool: { problems } }: { tool: McpToolDto }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <ul class="bare stack tight">
      {problems.map((problem) => (
        <li key={problem} class={`notice ${FATAL.includes(problem) ? 'danger' : 'warning'}`}>
          {t(`problem_${problem}`)}
        </li>
      ))}
    </ul>
  );
}
