import type { GenerationRequest } from '../../../../integrations/llm/port/completion';
import type { ModelMessage, ModelParameters } from '../../../../integrations/llm/port/language-model-provider';
import type { Agent } from '../../../agent/agent.api';
import type { ReplyWishes } from '../reply-wishes';
import type { ReplyTask } from '../running-reply';

/** What the models of an agent are asked for. */
export function generationRequest(
  { agent, language, wishes }: Pick<ReplyTask, 'agent' | 'language' | 'wishes'>,
  messages: ModelMessage[],
): GenerationRequest {
  return {
    provider: agent.provider,
    model: agent.model,
    messages,
    parameters: modelParameters(agent, wishes),
    ...(wishes !== null && {
      tools: wishes.tools,
      toolChoice: wishes.toolChoice,
      parallelToolCalls: wishes.parallelToolCalls,
      responseFormat: wishes.responseFormat,
      isWhole: wishes.isWhole,
    }),
    fallbackModels: agent.fallbackModels,
    timeoutSeconds: agent.timeoutSeconds,
    language: language ?? undefined,
  };
}

/** The agent's own settings win; of two limits of the reply's length, the smaller one counts. */
export function modelParameters(
  { modelParams }: Pick<Agent, 'modelParams'>,
  wishes: ReplyWishes | null,
): ModelParameters {
  if (wishes === null) {
    return modelParams;
  }
  const { max_tokens, max_completion_tokens, ...wished } = wishes.parameters;
  const limits = [max_tokens, max_completion_tokens, modelParams.max_tokens, modelParams.max_completion_tokens].filter(
    (limit) => limit !== undefined,
  );
  const { max_tokens: _own, max_completion_tokens: _ownToo, ...own } = modelParams;
  return { ...wished, ...own, ...(limits.length > 0 && { max_tokens: Math.min(...limits) }) };
}
