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

/** Which requests to models. */
export class ListCostsQueryDto extends PageQueryDto {
  /** `csv` answers all rows as a file for spreadsheets. `page` and `size` do not count then. */
  @IsIn(LIST_FORMATS)
  format: ListFormat = 'json';

  @TimeParameter('Start of the period: a UTC day or an instant. Unlimited if absent.')
  from?: string;

  @TimeParameter('End of the period, inclusive: a UTC day or an instant. Unlimited if absent.')
  to?: string;

  /** Only what this user caused. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  /** Only what users caused who were in this group when the request was admitted. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  group_id?: number;

  /** Only what this agent was asked. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  agent_id?: number;

  /** Only what was asked for with this API key. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  api_key_id?: number;

  /** Only of the provider with this name. */
  @OptionalField()
  @CharacterCount(1, LONGEST_PROVIDER_NAME)
  @IsString()
  provider?: string;

  /** Only of the model with this name, as it was requested. */
  @OptionalField()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model?: string;

  /** Only requests of this kind. */
  @OptionalField()
  @IsIn(COST_KINDS)
  kind?: CostKind;

  /** Only of this conversation. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  chat_id?: number;
}

/** A user of the ledger. */
export class CostUserDto {
  /** The user. @example 42 */
  id: number;

  /** The present username; null: there is none any more. @example "ada" */
  username: string | null;
}

/** An agent or API key of the ledger. */
export class CostPartyDto {
  /** The agent or API key. @example 7 */
  id: number;

  /** Its present name; null: it is deleted. @example "General assistant" */
  name: string | null;
}

/** What one request to a model cost. Nothing of what was said is in it. */
export class CostDto {
  /** The row of the ledger. @example 4711 */
  id: number;

  /** When it was written. @example "2026-07-31T12:00:00.000Z" */
  at: string;

  /** What the request was for. @example "reply" */
  @ApiProperty({ enum: COST_KINDS })
  kind: CostKind;

  /** Which round of the reply, from 1. @example 1 */
  round: number;

  /** Which request of the round, from 1. @example 1 */
  attempt: number;

  /** Who caused it; null: an account that was erased. */
  user: CostUserDto | null;

  /** The API key that was used; null: none. */
  api_key: CostPartyDto | null;

  /** The agent; null: none. */
  agent: CostPartyDto | null;

  /** The provider's name. @example "openai" */
  provider: string;

  /** The model as requested. @example "gpt-5" */
  model: string;

  /** The model as it named itself; null: it did not. @example "gpt-5-2026-08-07" */
  model_answered: string | null;

  /** Tokens of the whole prompt. @example 100 */
  prompt_tokens: number;

  /** What of the prompt the provider had cached. @example 40 */
  cached_tokens: number;

  /** What of the prompt the provider wrote into its cache. @example 0 */
  cache_write_tokens: number;

  /** Tokens of the reply, reasoning included. @example 10 */
  completion_tokens: number;

  /** What of the reply was reasoning. @example 3 */
  reasoning_tokens: number;

  /** Images of the prompt. @example 0 */
  images: number;

  /** 1; 0 for a failure that cost nothing. @example 1 */
  requests: number;

  /** What it cost; null: the model had no price. @example "0.001246" */
  cost: string | null;

  /** COST_CURRENCY. @example "USD" */
  currency: string;

  /** Whether tokens were counted by the service, because the provider did not report them. @example false */
  is_estimated: boolean;

  /** The price that was applied; null: none. */
  price: UsedPriceDto | null;

  /** The reply that it was for; null: none. @example 42 */
  message_id: number | null;

  /** Its conversation; null: none. @example 17 */
  chat_id: number | null;
}

/** The columns of the ledger as a file. */
export const COST_FIELDS = [
  ...(['id', 'at', 'kind', 'round', 'attempt', 'user', 'api_key', 'agent', 'provider', 'model'] as const),
  ...(['model_answered', 'prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens'] as const),
  ...(['reasoning_tokens', 'images', 'requests', 'cost', 'currency', 'is_estimated', 'price'] as const),
  ...(['message_id', 'chat_id'] as const),
] as const satisfies readonly (keyof CostDto)[];

/** What is read elsewhere. */
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
    completion_tokens: row.completionTokens,
    reasoning_tokens: row.reasoningTokens,
    images: row.images,
    requests: row.requests,
    cost: formatAmount(costOfRow(row)),
    currency,
    is_estimated: row.isEstimated,
    price,
    // Of what no conversation has, the number of the message names nothing that can be read.
    message_id: isStored ? row.messageId : null,
    chat_id: isStored ? row.chatId : null,
  };
}
