import { FieldFaultError } from '../../../common/errors/validation.errors';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import type { Agent } from '../../agent/agent.api';
import type { FileReference, GenerationOptions, Turn } from '../../generation/generation.api';
import type { MessageBody } from '../messages/message-request';
import { messageRequest } from '../translation/request/message-request.schema';
import { readRequest } from '../translation/request/read-request';
import { refuseIf } from '../translation/request/refuse-if';
import { locateFiles } from '../translation/request/request-files';
import { requestOptions } from '../translation/request/request-options';
import type { AgentTools } from '../translation/request/request-tools';
import { requestTurns } from '../translation/request/request-turns';
import { withoutOwnThinking } from '../translation/signatures';

/** The first version that refuses these settings. */
const VERSION_WITHOUT_SAMPLING = '2026-10-21';

/** A request to an agent as the engine sees it, for estimates and for providers with another API. */
export interface TranslatedRequest {
  options: GenerationOptions;
  turns: readonly Turn[];
  /** Whether a provider with another API could answer it. */
  isWhole: boolean;
}

/** The client's body with the agent's prompt first, in a block of its own. All other fields and blocks are kept. */
export function agentBody(body: MessageBody, { systemPrompt }: Pick<Agent, 'systemPrompt'>): Record<string, unknown> {
  const messages = withoutOwnThinking(body.messages);
  if (systemPrompt.trim() === '') {
    return { ...body, messages };
  }
  const { system } = body;
  const others = typeof system === 'string' ? [textBlock(system)] : Array.isArray(system) ? (system as unknown[]) : [];
  return { ...body, system: [textBlock(systemPrompt), ...others], messages };
}

/** The agent without the sampling settings that a version of the API refuses. */
export function forVersion(agent: Agent, version: string): Agent {
  if (version < VERSION_WITHOUT_SAMPLING) {
    return agent;
  }
  const { temperature: _temperature, top_p: _topP, top_k: _topK, ...modelParams } = agent.modelParams;
  return { ...agent, modelParams };
}

/** @throws InvalidParameterError if a tool of the client has the name of one of the agent's own */
export function refuseEqualTools({ tools }: MessageBody, { names }: AgentTools): void {
  const all = Array.isArray(tools) ? (tools as unknown[]) : [];
  all.forEach((tool, index) => {
    const { name } = (tool ?? {}) as { name?: unknown };
    refuseIf(typeof name === 'string' && names.includes(name), `tools.${index}.name`, 'duplicate');
  });
}

/**
 * The request as far as it can be translated. The provider gets the client's own body, so whatever cannot be translated
 * is no fault.
 *
 * @param texts of the prompt, if it cannot be translated
 */
export function translatedRequest(body: MessageBody, own: AgentTools, texts: readonly string[]): TranslatedRequest {
  try {
    const request = readRequest(messageRequest, body);
    const files = locateFiles(request.messages);
    const turns = requestTurns(request, new Map(files.map(([block, reference]) => [block, knownPart(reference)])));
    return {
      options: requestOptions(request, own),
      turns,
      isWhole: files.every(([, { url }]) => url.startsWith(INLINE)),
    };
  } catch (error) {
    if (!(error instanceof FieldFaultError)) {
      throw error;
    }
    const parameters = { max_tokens: body.max_tokens ?? 0 };
    const options = { instructions: null, parameters, tools: [], isWhole: true };
    return { options, turns: [{ role: 'user', content: texts.join('\n'), parts: null }], isWhole: false };
  }
}

const INLINE = 'data:';

/** The image or file of a reference, without content if the provider fetches it. */
function knownPart({ type, url, name, detail }: FileReference): BinaryPart {
  const [head = '', base64 = ''] = url.startsWith(INLINE) ? url.slice(INLINE.length).split(';base64,') : [];
  const mediaType = head || (type === 'image' ? 'image/png' : 'application/pdf');
  return { type, media_type: mediaType, name, data: Buffer.from(base64, 'base64'), detail };
}

function textBlock(text: string): object {
  return { type: 'text', text };
}
