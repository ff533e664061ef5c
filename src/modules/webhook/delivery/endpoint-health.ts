import { Injectable, Logger } from '@nestjs/common';
import { EntityManager, In, LessThanOrEqual } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { DEFAULT_LANGUAGE, shippedLanguage } from '../../../common/i18n/language';
import { DAY_MILLISECONDS } from '../../../common/time';
import { idIn } from '../../../database/statements/rows-by-id';
import { updateRows } from '../../../database/statements/update';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { UserService } from '../../user/user.api';
import { webhookDisabled } from '../endpoint/webhook.events';
import { DisabledReason, WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { ENDPOINT_DISABLED } from '../webhook.mails';
import type { AttemptResult } from './delivery-attempt';
import { type DueEndpoint, FIRST_DUE_SQL, lockEndpoints, PROBING_FAILURES } from './endpoint-turns';

/** Failures in a row from which a success counts as the end of an outage. */
const OUTAGE_FAILURES = 3;

const PROBE_PAUSE_MILLISECONDS = 10_000;

/** An endpoint that has only failed for this long is disabled. */
const HOPELESS_MILLISECONDS = 5 * DAY_MILLISECONDS;

/** Keeps account of how the endpoints answer, and draws the consequences. */
@Injectable()
export class EndpointHealth {
  private readonly logger = new Logger(EndpointHealth.name);

  constructor(
    private readonly users: UserService,
    private readonly mailQueue: MailQueue,
    private readonly events: DomainEvents,
  ) {}

  /** Call it after the deliveries were updated, in the same transaction. */
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
      await manager.update(WebhookEndpointEntity, { id: In([...interrupted.keys()]) }, { nextDueAt: now });
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
      const { condition, parameters } = idIn(steady);
      await updateRows(manager, WebhookEndpointEntity, health, condition, parameters);
    }
    if (recovered.length > 0) {
      const backlog = { recoveredAt: now, heldUntil: null, nextDueAt: now };
      await manager.update(WebhookEndpointEntity, { id: In(recovered) }, { ...health, ...backlog });
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
      await manager
        .createQueryBuilder()
        .update(WebhookEndpointEntity)
        // MySQL assigns from left to right: what reads failure_count stands before what changes it.
        .set({
          heldUntil: () =>
            `CASE WHEN failure_count + ${count} >= ${PROBING_FAILURES} THEN :probeAt ELSE held_until END`,
          failureCount: () => `failure_count + ${count}`,
          failingSince: () => 'COALESCE(failing_since, :now)',
          lastFailureAt: now,
          nextDueAt: () => FIRST_DUE_SQL,
        })
        .where({ id: In(ids) })
        .setParameters({ now, probeAt: new Date(now.getTime() + PROBE_PAUSE_MILLISECONDS) })
        .execute();
    }
  }

  /** Those that have failed, and only failed, for too long. */
  private async findHopeless(manager: EntityManager, endpointIds: number[], now: Date): Promise<number[]> {
    if (endpointIds.length === 0) {
      return [];
    }
    const longAgo = new Date(now.getTime() - HOPELESS_MILLISECONDS);
    const endpoints = await manager.find(WebhookEndpointEntity, {
      select: { id: true },
      where: { id: In(endpointIds), failingSince: LessThanOrEqual(longAgo) },
    });
    return endpoints.map(({ id }) => id);
  }

  private async disable(manager: EntityManager, ids: number[], reason: DisabledReason, now: Date): Promise<void> {
    const endpoints =
      ids.length === 0 ? [] : await manager.find(WebhookEndpointEntity, { where: { id: In(ids), isActive: true } });
    for (const endpoint of endpoints) {
      const change = { isActive: false, disabledReason: reason, disabledAt: now, heldUntil: null, nextDueAt: now };
      const { affected } = await manager.update(WebhookEndpointEntity, { id: endpoint.id, isActive: true }, change);
      if (affected === 1) {
        await this.tell(manager, endpoint, reason, now);
      }
    }
  }

  private async tell(
    manager: EntityManager,
    endpoint: WebhookEndpointEntity,
    reason: DisabledReason,
    now: Date,
  ): Promise<void> {
    this.logger.log({ webhook_id: endpoint.id, user_id: endpoint.userId, reason }, 'A webhook was disabled.');
    await this.events.publish(manager, webhookDisabled(endpoint, reason, now));
    const owner = await this.users.findById(endpoint.userId);
    if (owner && owner.settings.email_notifications !== false) {
      await this.mailQueue.enqueue(manager, {
        mail: ENDPOINT_DISABLED,
        to: owner.email,
        language: shippedLanguage(owner.language ?? '') ?? DEFAULT_LANGUAGE,
        values: { url: endpoint.url, disabledAt: now.toISOString() },
      });
    }
  }
}

function endpointsOf(results: AttemptResult[]): Map<number, DueEndpoint> {
  return new Map(results.map(({ claimed }) => [claimed.endpoint.id, claimed.endpoint]));
}
