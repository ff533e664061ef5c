import { Injectable } from '@nestjs/common';
import { sendJson } from '../../../common/http/send-json';
import { whenGone } from '../../../common/http/when-gone';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { type HardBudget, OwnBudgetsService } from '../../budget/budget.api';
import { AgentMessages } from '../agents/agent-messages';
import { type MessageTarget, MessageTargets } from '../models/message-targets';
import { PassThroughMessages, TOKEN_COUNT } from '../pass-through/pass-through-messages';
import { RepeatedMessages } from '../repeating/repeated-messages';
import { TranslatedMessages } from '../translation/translated-messages';
import { setBudgetHeaders, setRefusalHeaders } from './budget-headers';
import type { MessageRequest } from './message-request';
import { refuseSharedFeatures } from './shared-features';

/** Answers requests by what their `model` names. */
@Injectable()
export class MessageService {
  constructor(
    private readonly targets: MessageTargets,
    private readonly models: LanguageModels,
    private readonly budgets: OwnBudgetsService,
    private readonly passThrough: PassThroughMessages,
    private readonly agents: AgentMessages,
    private readonly translated: TranslatedMessages,
    private readonly repeated: RepeatedMessages,
  ) {}

  /** Sends a message, streamed or whole. */
  answer(request: MessageRequest): Promise<void> {
    return this.repeated.answer(request, () => this.serve(request));
  }

  /** Sends the number of input tokens. */
  async count(request: MessageRequest): Promise<void> {
    const { exchange, context } = request;
    const { response } = exchange;
    const target = await this.targets.resolve(request.body.model, context.principal);
    this.refuseShared(request, target, []);
    if (target.kind === 'pass-through') {
      await this.passThrough.count(await this.passThrough.masked(request, target), target);
      return;
    }
    const { agent } = target;
    if (this.agents.isOwnKind(agent)) {
      const { body, ...model } = await this.agents.countRequest({ ...request, agent });
      const bytes = Buffer.from(JSON.stringify(body));
      await this.passThrough.count({ ...request, body, bytes }, { kind: 'pass-through', ...model, agent });
      return;
    }
    const tokens = await this.translated.count({ ...request, agent }, whenGone(exchange.request));
    response.setHeader(TOKEN_COUNT, 'estimated');
    sendJson(response, { input_tokens: tokens });
  }

  private async serve(request: MessageRequest): Promise<void> {
    const { exchange, context } = request;
    const target = await this.targets.resolve(request.body.model, context.principal);
    const hard = await this.budgets.hardOf(context.principal, target.agent.id);
    this.refuseShared(request, target, hard);
    setBudgetHeaders(exchange.response, hard);
    try {
      await (target.kind === 'pass-through'
        ? this.passThrough.answer(request, target)
        : this.agents.answer({ ...request, agent: target.agent }, exchange));
    } catch (error) {
      if (error instanceof BudgetExceededError) {
        setRefusalHeaders(exchange.response, error, hard);
      }
      throw error;
    }
  }

  /** @throws SharedFeatureError, ThreadUnsupportedError */
  private refuseShared({ body }: MessageRequest, { agent }: MessageTarget, hard: readonly HardBudget[]): void {
    const provider = agent.provider ?? this.models.defaultProvider;
    const isAnthropic = this.models.kindOf(provider) === 'anthropic';
    refuseSharedFeatures(body, isAnthropic ? this.models.anthropicFeatures(provider) : [], hard.length > 0);
  }
}
