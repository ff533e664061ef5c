import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { LIST_FORMATS, type ListFormat } from '../../../common/csv/csv-query.dto';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { formatAmount } from '../../../common/money/amount';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';
import { UsedPriceDto } from '../../pricing/pricing.api';
import { COST_KINDS, type CostKind, costOfRow, type CostRow } from '../../usage/usage.api';

/** Filters for model requests. */
export class ListCostsQueryDto extends PageQueryDto {
  /** `csv` returns all rows as a file for spreadsheets and ignores `page` and `size`. */
  @IsIn(LIST_FORMATS)
  format: ListFormat = 'json';

  @TimeParameter('Start of the period: a UTC day or an instant. Unlimited if absent.')
  from?: string;

  @TimeParameter('End of the period, inclusive: a UTC day or an instant. Unlimited if absent.')
  to?: string;

  /** Only requests that this user caused. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  /** Only requests of users who were in this group at admission. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  group_id?: number;

  /** Only requests for this agent. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  agent_id?: number;

  /** Only requests with this API key. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  api_key_id?: number;

  /** Only requests to the provider with this name. */
  @OptionalField()
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  provider?: string;

  /** Only requests for this model, by its requested name. */
  @OptionalField()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model?: string;

  /** Only requests for this purpose. */
  @OptionalField()
  @IsIn(COST_KINDS)
  kind?: CostKind;

  /** Only requests of this conversation. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  chat_id?: number;
}

/** A user in the ledger. */
export class CostUserDto {
  /** Id of the user. @example 42 */
  id: number;

  /** Current username. Null if there is none any more. @example "ada" */
  username: string | null;
}

/** An agent or API key in the ledger. */
export class CostPartyDto {
  /** Id of the agent or API key. @example 7 */
  id: number;

  /** Current name. Null if the agent or key is deleted. @example "General assistant" */
  name: string | null;
}

/** Cost of one model request. It contains no message content. */
export class CostDto {
  /** Id of the ledger row. @example 4711 */
  id: number;

  /** When the row was written. @example "2026-07-31T12:00:00.000Z" */
  at: string;

  /** Purpose of the request. @example "reply" */
  @ApiProperty({ enum: COST_KINDS })
  kind: CostKind;

  /** Number of the reply's round, from 1. @example 1 */
  round: number;

  /** Number of the request within its round, from 1. @example 1 */
  attempt: number;

  /** The user who caused the request. Null if the account is erased. */
  user: CostUserDto | null;

  /** The API key of the request. Null if none was used. */
  api_key: CostPartyDto | null;

  /** The agent. Null if there is none. */
  agent: CostPartyDto | null;

  /** Name of the provider. @example "openai" */
  provider: string;

  /** The requested model. @example "gpt-5" */
  model: string;

  /** The model's name in the response. Null if it was not sent. @example "gpt-5-2026-08-07" */
  model_answered: string | null;

  /** Tokens of the whole prompt. @example 100 */
  prompt_tokens: number;

  /** Prompt tokens that the provider had cached. @example 40 */
  cached_tokens: number;

  /** Prompt tokens that the provider wrote into its cache. @example 0 */
  cache_write_tokens: number;

  /** Those that it keeps for an hour. @example 0 */
  cache_write_1h_tokens: number;

  /** Tokens of the reply, including reasoning. @example 10 */
  completion_tokens: number;

  /** Reasoning tokens of the reply. @example 3 */
  reasoning_tokens: number;

  /** Number of images in the prompt. @example 0 */
  images: number;

  /** Number of web searches that the provider made. @example 0 */
  web_searches: number;

  /** Answered requests: 1, or 0 for a failed request without cost. @example 1 */
  requests: number;

  /** Cost of the request. Null if the model had no price. @example "0.001246" */
  cost: string | null;

  /** Value of COST_CURRENCY. @example "USD" */
  currency: string;

  /** Whether the service estimated tokens, because the provider did not report them. @example false */
  is_estimated: boolean;

  /** The applied price. Null if there was none. */
  price: UsedPriceDto | null;

  /** Id of the reply. Null if there is none. @example 42 */
  message_id: number | null;

  /** Id of its conversation. Null if there is none. @example 17 */
  chat_id: number | null;
}

/** Columns of the CSV file of the ledger. */
export const COST_FIELDS = [
  ...(['id', 'at', 'kind', 'round', 'attempt', 'user', 'api_key', 'agent', 'provider', 'model'] as const),
  ...(['model_answered', 'prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens'] as const),
  ...(['reasoning_tokens', 'images', 'requests', 'cost', 'currency', 'is_estimated', 'price'] as const),
  ...(['message_id', 'chat_id', 'cache_write_1h_tokens', 'web_searches'] as const),
] as const satisfies readonly (keyof CostDto)[];

/** Data of a ledger row from other tables. */
export type CostSurroundings = Pick<CostDto, 'user' | 'api_key' | 'agent' | 'price' | 'currency'>;

export function toCostDto(row: CostRow, surroundings: CostSurroundings): CostDto {
  const { user, api_key, agent, price, currency } = surroundings;
  const isStored = row.chatId !== 0;
  return {
    id: row.id,
    at: row.createdAt.toISOString(),
    kind: row.kind,
    round: row.round,
    attempt: row.attempt,
    user,
    api_key,
    agent,
    provider: row.provider,
    model: row.model,
    model_answered: row.modelAnswered,
    prompt_tokens: row.promptTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    cache_write_1h_tokens: row.cacheWrite1hTokens,
    completion_tokens: row.completionTokens,
    reasoning_tokens: row.reasoningTokens,
    images: row.images,
    web_searches: row.webSearches,
    requests: row.requests,
    cost: formatAmount(costOfRow(row)),
    currency,
    is_estimated: row.isEstimated,
    price,
    // Without a conversation, the message id refers to nothing that can be read.
    message_id: isStored ? row.messageId : null,
    chat_id: isStored ? row.chatId : null,
  };
}
