import { IsString } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import type { Agent } from '../../agent/agent.api';

/** An agent in the format of OpenAI's models. */
export class OpenAiModelDto {
  /**
   * The name of the agent. Send it as `model`.
   * @example 'General assistant'
   */
  id: string;

  /**
   * Always `model`.
   * @example 'model'
   */
  object: 'model';

  /**
   * When the agent was created, in Unix seconds.
   * @example 1769851800
   */
  created: number;

  /**
   * Always `chat-service`.
   * @example 'chat-service'
   */
  owned_by: string;
}

/** All agents that the caller may use. */
export class OpenAiModelListDto {
  /**
   * Always `list`.
   * @example 'list'
   */
  object: 'list';

  /** The agents in display order. */
  data: OpenAiModelDto[];

  /** Always empty, and only with `client_version`: Codex has its own model list. */
  models?: object[];
}

/** Options for listing models. */
export class OpenAiModelQueryDto {
  /** The version of Codex that sends the request. */
  @OptionalField()
  @MaxLength(64)
  @IsString()
  client_version?: string;
}

export function toOpenAiModelDto({ name, createdAt }: Agent): OpenAiModelDto {
  return { id: name, object: 'model', created: Math.floor(createdAt.getTime() / 1_000), owned_by: 'chat-service' };
}
