import { Injectable, Logger } from '@nestjs/common';
import { EntityManager, In, LessThanOrEqual } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { DisabledReason, WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { webhookDisabled } from '../webhook.events';
import { caseById } from './case-by-id';
import type { AttemptResult } from './delivery-types';
import { FIRST_DUE_SQL } from './due-deliveries';
import { lockEndpoints } from './endpoint-lock';
import { EndpointOwners } from './endpoint-owners';

/** Failures in a row from which an endpoint gets one attempt at a time, with a pause after each. */
export const PROBING_FAILURES = 20;

/** Failures in a row from which a success counts as the end of an outage. */
const OUTAGE_FAILURES = 3;

/** Pause between two probes, in milliseconds. */
const PROBE_PAUSE = 10_000;

/** An endpoint that has only failed for this long is disabled, in milliseconds. */
const PATIENCE = 5 * 24 * 3_600_000;

/** Keeps account of how the endpoints answer, and draws the consequences. */
@Injectable()
export class EndpointHealth {
  private readonly logger = new Logger(EndpointHealth.name);

  constructor(
    private readonly owners: EndpointOwners,
    private readonly mailQueue: MailQueue,
    private readonly events: DomainEvents,
  ) {}

  /** Call it after the deliveries were updated, in the same transaction. */
  async record(results: AttemptResult[], now: Date, manager: EntityManager): Promise<void> {
    await lockEndpoints([...endpointsOf(results).keys()], manager);
    const succeeded = endpointsOf(results.filter(({ outcome }) => outcome === 'succeeded'));
    const failures = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'gone');
    await this.recordSuccesses([...succeeded.values()], now, manager);
    await this.recordFailures(failures, now, manager);
    const interrupted = endpointsOf(results.filter(({ outcome }) => outcome === 'interrupted'));
    if (interrupted.size > 0) {
      await manager.update(WebhookEndpointEntity, { id: In([...interrupted.keys()]) }, { nextDueAt: now });
    }
    const gone = endpointsOf(failures.filter(({ outcome }) => outcome === 'gone'));
    await this.disable([...gone.keys()], 'gone', now, manager);
    const failing = [...endpointsOf(failures).keys()].filter((id) => !gone.has(id));
    await this.disable(await this.hopeless(failing, now, manager), 'failing', now, manager);
  }

  private async recordSuccesses(succeeded: WebhookEndpointEntity[], now: Date, manager: EntityManager): Promise<void> {
    if (succeeded.length === 0) {
      return;
    }
    const endpoints = manager.getRepository(WebhookEndpointEntity);
    const isRecovered = ({ failureCount }: WebhookEndpointEntity): boolean => failureCount >= OUTAGE_FAILURES;
    const health = { failureCount: 0, failingSince: null, lastSuccessAt: now };
    const steady = succeeded.filter((endpoint) => !isRecovered(endpoint)).map(({ id }) => id);
    const recovered = succeeded.filter(isRecovered).map(({ id }) => id);
    if (steady.length > 0) {
      await endpoints.update({ id: In(steady) }, health);
    }
    if (recovered.length > 0) {
      const backlog = { recoveredAt: now, heldUntil: null, nextDueAt: now };
      await endpoints.update({ id: In(recovered) }, { ...health, ...backlog });
    }
  }

  private async recordFailures(failures: AttemptResult[], now: Date, manager: EntityManager): Promise<void> {
    if (failures.length === 0) {
      return;
    }
    const counts = new Map<number, number>();
    for (const { id } of failures.map(({ claimed }) => claimed.endpoint)) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const count = caseById('count', counts, '0');
    const isProbed = `failure_count + ${count.sql} >= ${PROBING_FAILURES}`;
    await manager
      .createQueryBuilder()
      .update(WebhookEndpointEntity)
      // MySQL assigns from left to right: what reads failure_count stands before what changes it.
      .set({
        heldUntil: () => `CASE WHEN ${isProbed} THEN :probeAt ELSE held_until END`,
        failureCount: () => `failure_count + ${count.sql}`,
        failingSince: () => 'COALESCE(failing_since, :now)',
        lastFailureAt: now,
        nextDueAt: () => FIRST_DUE_SQL,
      })
      .where({ id: In([...counts.keys()]) })
      .setParameters({ now, probeAt: new Date(now.getTime() + PROBE_PAUSE), ...count.parameters })
      .execute();
  }

  /** Those that have failed, and only failed, for too long. */
  private async hopeless(endpointIds: number[], now: Date, manager: EntityManager): Promise<number[]> {
    if (endpointIds.length === 0) {
      return [];
    }
    const endpoints = await manager.find(WebhookEndpointEntity, {
      select: { id: true },
      where: { id: In(endpointIds), failingSince: LessThanOrEqual(new Date(now.getTime() - PATIENCE)) },
    });
    return endpoints.map(({ id }) => id);
  }

  private async disable(ids: number[], reason: DisabledReason, now: Date, manager: EntityManager): Promise<void> {
    const endpoints =
      ids.length === 0 ? [] : await manager.find(WebhookEndpointEntity, { where: { id: In(ids), isActive: true } });
    for (const endpoint of endpoints) {
      const change = { isActive: false, disabledReason: reason, disabledAt: now, heldUntil: null, nextDueAt: now };
      const { affected } = await manager.update(WebhookEndpointEntity, { id: endpoint.id, isActive: true }, change);
      if (affected === 1) {
        await this.tell(endpoint, reason, now, manager);
      }
    }
  }

  private async tell(
    endpoint: WebhookEndpointEntity,
    reason: DisabledReason,
    now: Date,
    manager: EntityManager,
  ): Promise<void> {
    this.logger.log(`Webhook ${endpoint.id} of user ${endpoint.userId} was disabled: ${reason}.`);
    await this.events.publish(manager, webhookDisabled(endpoint, reason, now));
    const contact = await this.owners.contactOf(endpoint.userId);
    if (contact) {
      await this.mailQueue.enqueue(manager, {
        kind: 'webhook_disabled',
        to: contact.email,
        language: contact.language,
        values: { url: endpoint.url, disabledAt: now.toISOString() },
      });
    }
  }
}

function endpointsOf(results: AttemptResult[]): Map<number, WebhookEndpointEntity> {
  return new Map(results.map(({ claimed }) => [claimed.endpoint.id, claimed.endpoint]));
}
