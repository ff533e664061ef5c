import { Injectable } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { gauge } from '../../../common/metrics/metrics';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { InstanceHeartbeat, type KnownInstance } from '../../generation/generation.api';
import { InstanceNotFoundError } from '../operation.errors';
import type { InstanceDto } from './instance.dto';
import { type Difference, findDifference } from './instance-difference';
import { type InstanceReport, InstanceReports } from './instance-reports';

/** An instance without a heartbeat for this time is lost. */
const LOST_MILLISECONDS = 15 * SECOND_MILLISECONDS;

/** Shorter differences are updates of the instances, one after another. */
const TOLERATED_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** The running instances of the service, and those of the last day. */
@Injectable()
export class InstancesService {
  constructor(
    private readonly database: Database,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly reports: InstanceReports,
    private readonly clock: SharedClock,
    attention: Attention,
  ) {
    attention.add(() => this.attentionItems());
    gauge('instances_differ', 'Whether instances that share a database have different versions or settings', async () =>
      Number((await this.difference()) !== null),
    );
  }

  async list(): Promise<InstanceDto[]> {
    const known = await this.heartbeat.instances();
    return known.map((instance) => this.toDto(instance));
  }

  /** @throws InstanceNotFoundError for an unknown or lost instance */
  async assertRuns(id: string): Promise<void> {
    const found = (await this.list()).find((instance) => instance.id === id);
    if (found === undefined || found.state === 'lost') {
      throw new InstanceNotFoundError();
    }
  }

  private async attentionItems(): Promise<AttentionItem[]> {
    const difference = await this.difference();
    const now = this.clock.now().getTime();
    if (difference === null || now - difference.since.getTime() < TOLERATED_MILLISECONDS) {
      return [];
    }
    return [{ kind: 'instances_differ', since: difference.since, count: difference.count, target: null }];
  }

  private async difference(): Promise<Difference | null> {
    return this.database.isShared ? findDifference(await this.list()) : null;
  }

  private toDto({ id, seenAt, report }: KnownInstance): InstanceDto {
    const isSelf = id === this.heartbeat.ownId;
    const own = isSelf ? this.reports.current : null;
    // The report of an earlier version is empty.
    const reported = (own ?? report ?? {}) as Partial<InstanceReport>;
    const isLost = !isSelf && this.clock.now().getTime() - seenAt.getTime() > LOST_MILLISECONDS;
    return {
      id,
      hostname: reported.hostname ?? null,
      version: reported.version ?? null,
      commit: reported.commit ?? null,
      node: reported.node ?? null,
      started_at: reported.started_at ?? null,
      seen_at: seenAt.toISOString(),
      state: isLost ? 'lost' : (reported.state ?? 'serving'),
      leases: isLost ? [] : (reported.leases ?? []),
      lag: reported.lag ?? null,
      load: reported.load ?? null,
      config_hash: reported.config_hash ?? null,
      log_level: (reported.log_level as InstanceDto['log_level'] | undefined) ?? null,
      is_self: isSelf,
    };
  }
}
