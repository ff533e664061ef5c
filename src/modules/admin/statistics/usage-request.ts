import { orderOf } from '../../../common/envelope/sort';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { isByKey, type UsageReportRequest } from '../../usage/usage.api';
import { reportPeriod } from './period';
import type { UsageStatisticsQueryDto } from './usage-statistics.dto';

/**
 * What a query asks the stored sums.
 *
 * @throws InvalidParameterError when the period is invalid, or the sums do not tell apart what the query does.
 */
export function reportRequest(query: UsageStatisticsQueryDto, now: Date): UsageReportRequest {
  const request = {
    ...reportPeriod(query, now),
    groupBy: query.group_by,
    order: query.sort && orderOf(query.sort),
    userId: query.user_id,
    agentId: query.agent_id,
    model: query.model,
    apiKeyId: query.api_key_id,
  };
  if (request.groupBy === 'provider') {
    assertKnownOfProviders(query);
  } else if (isByKey(request)) {
    assertKnownOfKeys(query);
  }
  return request;
}

/** The usage of a provider is counted by day, user and model only. */
export function assertKnownOfProviders({ agent_id, api_key_id }: UsageStatisticsQueryDto): void {
  refuse(
    [...(agent_id === undefined ? [] : ['agent_id']), ...(api_key_id === undefined ? [] : ['api_key_id'])],
    'not_counted_by_provider',
  );
}

/** The usage of a key is counted by day and owner only: by agent and model too, it would be a row more with each message. */
function assertKnownOfKeys({ group_by, agent_id, model }: UsageStatisticsQueryDto): void {
  refuse(
    [
      ...(group_by === 'agent' || group_by === 'model' ? ['group_by'] : []),
      ...(agent_id === undefined ? [] : ['agent_id']),
      ...(model === undefined ? [] : ['model']),
    ],
    'not_counted_by_key',
  );
}

/** @throws InvalidParameterError when there is any */
function refuse(fields: string[], reason: string): void {
  const [first, ...others] = fields.map((field) => ({ field, reason }));
  if (first) {
    throw new InvalidParameterError([first, ...others]);
  }
}
