import { Injectable } from '@nestjs/common';
import type { Completion, GenerationRequest } from '../../../integrations/llm/port/completion';
import { type GuardedSide, SideModels, type SideRequest } from '../../../integrations/llm/side-requests';
import { AgentService } from '../../agent/agent.api';
import { GroupMemberships } from '../../group/group.api';
import {
  type AppliedGuard,
  CheckedTexts,
  findMasks,
  Guards,
  type GuardScope,
  Masks,
  type TypedSpan,
} from '../../guard/guard.api';

/** Applies guards to trials of agents, whose reply is not streamed. */
@Injectable()
export class TrialGuard {
  constructor(
    private readonly guards: Guards,
    private readonly texts: CheckedTexts,
    private readonly groups: GroupMemberships,
    private readonly agents: AgentService,
    models: SideModels,
  ) {
    models.onGuard((request, cause) => this.guard(request, cause));
  }

  /** @throws ContentBlockedError, GuardUnavailableError */
  private async guard(request: GenerationRequest, cause: SideRequest): Promise<GuardedSide | null> {
    if (cause.kind !== 'trial' || !this.guards.hasAny) {
      return null;
    }
    const { userId, apiKeyId, agentId } = cause;
    const agent = (await this.agents.findManyForDisplay([agentId])).get(agentId) ?? null;
    const scope: GuardScope = {
      ...{ userId, apiKeyId, groupIds: await this.groups.groupIdsOf(userId), chatId: null, messageId: null },
      ...{ agent: agent && { id: agent.id, name: agent.name }, language: request.language ?? null },
    };
    const masks = new Masks();
    const applied = this.guards.of('input', scope);
    const sent = request.messages.filter(({ role }) => role === 'user');
    const texts = sent.map(({ content }) => ({ text: content, part: 'text' as const }));
    await this.texts.requireAllowed(applied, scope, texts, masks);
    const masked = await this.texts.mask(applied, scope, masks, 'input', texts);
    const messages = request.messages.map((message) => {
      const text = masked[sent.indexOf(message)]?.text;
      return text === undefined ? message : { ...message, content: text };
    });
    return { request: { ...request, messages }, finish: (completion) => this.finish(completion, scope, masks) };
  }

  /** The reply as guards leave it. @throws GuardUnavailableError */
  private async finish(completion: Completion, scope: GuardScope, masks: Masks): Promise<Completion> {
    let { text } = completion;
    for (const guard of this.guards.of('output', scope)) {
      const checked = await checkOutput(guard, text, scope, masks);
      if (checked === null) {
        return { ...completion, text: '', finishReason: 'content_filter' };
      }
      text = checked;
    }
    return { ...completion, text: masks.restore(text, 'answer') };
  }
}

/** The text with masks. Null: the guard blocks it. */
async function checkOutput(guard: AppliedGuard, text: string, scope: GuardScope, masks: Masks): Promise<string | null> {
  const checking = guard.check({ stage: 'output', part: 'text', text, offset: 0, final: true }, scope);
  if (guard.mode === 'report') {
    return text;
  }
  const { action, spans } = await checking;
  return action === 'block' ? null : maskOutput(text, spans, masks);
}

/** Findings that touch a mask are dropped. */
function maskOutput(text: string, spans: readonly TypedSpan[], masks: Masks): string {
  const known = findMasks(text);
  const free = spans.filter(({ start, end }) => known.every((mask) => mask.end <= start || mask.start >= end));
  return free.reduceRight((left, { start, end, type }) => {
    const mask = masks.maskFor(text.slice(start, end), type, 'none');
    return left.slice(0, start) + mask + left.slice(end);
  }, text);
}
