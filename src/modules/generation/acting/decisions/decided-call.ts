import { toStorableText } from '../../../../integrations/llm/port/storable-text';
import type { Decision } from '../tool-action.entity';
import type { ToolCallEntity } from '../tool-call.entity';
import { SENTENCES } from '../tool-caller';
import { toolText } from '../tool-text';

/** What a decision makes of its call. */
export function changesBy(
  { decision, reason, text }: { decision: Decision; reason: string | null; text: string | null },
  at: Date,
): Partial<ToolCallEntity> {
  switch (decision) {
    case 'approve':
    case 'retry':
      return { state: 'approved' };
    case 'deny':
      return {
        state: 'denied',
        isError: true,
        endedAt: at,
        result: reason ? `${SENTENCES.denied} ${reason}` : SENTENCES.denied,
      };
    case 'done':
      return { state: 'succeeded', isError: false, endedAt: at, result: toolText(toStorableText(text ?? '')).kept };
    case 'failed':
      return { state: 'failed', isError: true, endedAt: at, result: reason ?? SENTENCES.unknown };
  }
}
