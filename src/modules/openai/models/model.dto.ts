import { IsString } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import type { Agent } from '../../agent/agent.api';

/** An agent as OpenAI's API shows a model. */
export class OpenAiModelDto {
  /**
   * The agent's name: send it as `model`.
   * @example 'General assistant'
   */
  id: string;

  /**
   * Always `model`.
   * @example 'model'
   */
  object: 'model';

  /**
   * When the agent was made, in Unix seconds.
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

  /** In the order to show them. */
  data: OpenAiModelDto[];

  /** Only with `client_version`, and empty: Codex knows models by itself. */
  models?: object[];
}

/** How to list models. */
export class OpenAiModelQueryDto {
  /** The version of Codex that asks. */
  @OptionalField()
  @MaxLength(64)
  @IsString()
  client_version?: string;
}

export function toOpenAiModelDto({ name, createdAt }: Agent): OpenAiModelDto {
  return { id: name, object: 'model', created: Math.floor(createdAt.getTime() / 1_000), owned_by: 'chat-service' };
}
