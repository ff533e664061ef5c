import { type EntityManager } from 'typeorm';
import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Longer than the longest pause of the schedule: all that is planned lies before it. */
const HORIZON_MILLISECONDS = 36 * 3_600_000;

export type DueDelivery = Pick<WebhookDeliveryEntity, 'id' | 'endpointId' | 'eventId' | 'retryStep'>;

export interface Request {
  endpoint: WebhookEndpointEntity;
  /** Deliveries wanted at most. */
  quota: number;
}

/**
 * The first due deliveries of each endpoint. One question for all endpoints, and one look into an index for each: the
 * cost depends neither on the length of a backlog nor on the backlogs of others.
 */
export async function findDueDeliveries(
  requests: Request[],
  now: Date,
  manager: EntityManager,
): Promise<DueDelivery[]> {
  if (requests.length === 0) {
    return [];
  }
  const parameters: Record<string, number | Date> = { now };
  const parts = requests.map(({ endpoint, quota }, index) => {
    parameters[`endpoint${index}`] = endpoint.id;
    parameters[`quota${index}`] = quota;
    let due = 'next_attempt_at <= :now';
    if (!endpoint.isActive) {
      due = `${due} AND is_requested = 1`;
    } else if (endpoint.recoveredAt) {
      parameters.horizon = new Date(now.getTime() + HORIZON_MILLISECONDS);
      parameters[`recovered${index}`] = endpoint.recoveredAt;
      const failedBefore = `(last_attempt_at IS NULL OR last_attempt_at < :recovered${index})`;
      const isUnasked = '(not_before IS NULL OR not_before <= :now)';
      due = `next_attempt_at <= :horizon AND (${due} OR (lease_owner IS NULL AND ${failedBefore} AND ${isUnasked}))`;
    }
    return (
      `SELECT * FROM (SELECT id, endpoint_id AS "endpointId", event_id AS "eventId", retry_step AS "retryStep" ` +
      `FROM webhook_deliveries WHERE endpoint_id = :endpoint${index} AND ${due} ` +
      `ORDER BY next_attempt_at LIMIT :quota${index}) AS part${index}`
    );
  });
  const [query, values] = manager.dataSource.driver.escapeQueryWithParameters(parts.join(' UNION ALL '), parameters);
  return manager.query<DueDelivery[]>(query, values);
}

/** SQL for `next_due_at` of an endpoint: when the first of the deliveries that it may get falls due, or null. */
export const FIRST_DUE_SQL =
  '(SELECT next_attempt_at FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id ' +
  'AND next_attempt_at IS NOT NULL AND (webhook_endpoints.is_active = 1 OR is_requested = 1) ' +
  'ORDER BY next_attempt_at LIMIT 1)';
