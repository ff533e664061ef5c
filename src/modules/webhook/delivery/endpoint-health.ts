import { Injectable, Logger } from '@nestjs/common';
import { EntityManager, In, LessThanOrEqual } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { DAY_MILLISECONDS } from '../../../common/time';
import { findRows } from '../../../database/statements/find';
import { idIn } from '../../../database/statements/row-condition';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { webhookDisabled } from '../endpoint/webhook.events';
import { DisabledReason, WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { AttemptResult } from './delivery-attempt';
import { type DueEndpoint, FIRST_DUE_SQL, lockEndpoints, PROBING_FAILURES } from './fair-queue';

/** After this many failures in a row, a success counts as the end of an outage. */
const OUTAGE_FAILURES = 3;

const PROBE_PAUSE_MILLISECONDS = 10_000;

/** An endpoint without a success for this long is disabled. */
const HOPELESS_MILLISECONDS = 5 * DAY_MILLISECONDS;

/** Records the results of each endpoint's attempts and acts on them. */
@Injectable()
export class EndpointHealth {
  private readonly logger = new Logger(EndpointHealth.name);

  constructor(private readonly events: DomainEvents) {}

  /** Call it in the same transaction, after the deliveries were updated. */
  async record(manager: EntityManager, results: AttemptResult[], now: Date): Promise<void> {
    await lockEndpoints(manager, [...endpointsOf(results).keys()]);
    const succeeded = endpointsOf(results.filter(({ outcome }) => outcome === 'succeeded'));
    const failures = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'gone');
    const interrupted = endpointsOf(results.filter(({ outcome }) => outcome === 'interrupted'));
    const gone = endpointsOf(failures.filter(({ outcome }) => outcome === 'gone'));
    const failing = [...endpointsOf(failures).keys()].filter((id) => !gone.has(id));
    await this.recordSuccesses(manager, [...succeeded.values()], now);
    await this.recordFailures(manager, failures, now);
    if (interrupted.size > 0) {
      await updateRows(manager, WebhookEndpointEntity, { nextDueAt: now }, { id: In([...interrupted.keys()]) });
    }
    await this.disable(manager, [...gone.keys()], 'gone', now);
    await this.disable(manager, await this.findHopeless(manager, failing, now), 'failing', now);
  }

  private async recordSuccesses(manager: EntityManager, succeeded: DueEndpoint[], now: Date): Promise<void> {
    const wasOut = ({ failureCount }: DueEndpoint): boolean => failureCount >= OUTAGE_FAILURES;
    const steady = succeeded.filter((endpoint) => !wasOut(endpoint)).map(({ id }) => id);
    const recovered = succeeded.filter(wasOut).map(({ id }) => id);
    const health = { failureCount: 0, failingSince: null, lastSuccessAt: now };
    if (steady.length > 0) {
      await updateRows(manager, WebhookEndpointEntity, health, { id: In(steady) });
    }
    if (recovered.length > 0) {
      const backlog = { recoveredAt: now, heldUntil: null, nextDueAt: now };
      await updateRows(manager, WebhookEndpointEntity, { ...health, ...backlog }, { id: In(recovered) });
    }
  }

  private async recordFailures(manager: EntityManager, failures: AttemptResult[], now: Date): Promise<void> {
    const counts = new Map<number, number>();
    for (const { id } of failures.map(({ claimed }) => claimed.endpoint)) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    // One statement for all endpoints with the same number of failures.
    for (const count of new Set(counts.values())) {
      const ids = [...counts.keys()].filter((id) => counts.get(id) === count);
      const { condition, parameters } = idIn(ids);
      const probeAt = new Date(now.getTime() + PROBE_PAUSE_MILLISECONDS);
      // MySQL evaluates assignments from left to right, so expressions that read failure_count must precede its change.
      await execute(
        manager,
        `UPDATE webhook_endpoints SET
         held_until = CASE WHEN failure_count + ? >= ${PROBING_FAILURES} THEN ? ELSE held_until END,
         failure_count = failure_count + ?, failing_since = COALESCE(failing_since, ?), last_failure_at = ?,
         next_due_at = ${FIRST_DUE_SQL} WHERE ${condition}`,
        [count, probeAt, count, now, now, ...parameters],
      );
    }
  }

  /** Endpoints that have had only failures for too long. */
  private async findHopeless(manager: EntityManager, endpointIds: number[], now: Date): Promise<number[]> {
    if (endpointIds.length === 0) {
      return [];
    }
    const longAgo = new Date(now.getTime() - HOPELESS_MILLISECONDS);
    const endpoints = await findRows(
      manager,
      WebhookEndpointEntity,
      { id: In(endpointIds), failingSince: LessThanOrEqual(longAgo) },
      { members: ['id'] },
    );
    return endpoints.map(({ id }) => id);
  }

  private async disable(manager: EntityManager, ids: number[], reason: DisabledReason, now: Date): Promise<void> {
    const endpoints =
      ids.length === 0 ? [] : await findRows(manager, WebhookEndpointEntity, { id: In(ids), isActive: true });
    for (const endpoint of endpoints) {
      const change = { isActive: false, disabledReason: reason, disabledAt: now, heldUntil: null, nextDueAt: now };
      const affected = await updateRows(manager, WebhookEndpointEntity, change, { id: endpoint.id, isActive: true });
      if (affected === 1) {
        this.logger.log({ webhook_id: endpoint.id, user_id: endpoint.userId, reason }, 'A webhook was disabled.');
        await this.events.publish(manager, webhookDisabled(endpoint, reason, now));
      }
    }
  }
}

function endpointsOf(results: AttemptResult[]): Map<number, DueEndpoint> {
  return new Map(results.map(({ claimed }) => [claimed.endpoint.id, claimed.endpoint]));
}
