import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HeldLeases } from '../../../common/background/held-leases';
import { BUILD } from '../../../common/build-facts';
import { Lifecycle } from '../../../common/lifecycle';
import { LoadGate } from '../../../common/load/load-gate';
import { logLevel } from '../../../common/logging/log-level';
import { answeredRequests } from '../../../common/metrics/http-metrics.middleware';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { AppConfig } from '../../../config/app.config';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { InstanceHeartbeat, ReplyRegistry } from '../../generation/generation.api';
import { ConfigurationHash } from '../configuration/configuration-hash';

/** What an instance writes of itself with each heartbeat, as JSON. */
export interface InstanceReport {
  hostname: string;
  /** The host and the port of the settings. A process that is restarted has the same place. */
  place: string;
  version: string;
  commit: string | null;
  node: string;
  started_at: string;
  state: 'starting' | 'serving' | 'draining';
  leases: string[];
  lag: { database_ms: number; clock_ms: number; event_loop_ms: number };
  load: { replies: number; requests_per_minute: number; cpu: number; rss_bytes: number; connections: number };
  config_hash: string;
  log_level: string;
}

/** A figure that grows, when it was read. */
interface Reading {
  at: number;
  requests: number;
  cpuMicroseconds: number;
}

/** Makes the report of this instance. It reads only memory and the process. */
@Injectable()
export class InstanceReports implements OnApplicationBootstrap {
  private readonly constructedAt = performance.now();
  private last = reading();
  private latest: InstanceReport | null = null;

  constructor(
    private readonly heartbeat: InstanceHeartbeat,
    private readonly registry: ReplyRegistry,
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly config: AppConfig,
    private readonly hash: ConfigurationHash,
    private readonly leases: HeldLeases,
    private readonly lifecycle: Lifecycle,
    private readonly gate: LoadGate,
    private readonly host: HttpAdapterHost,
  ) {
    heartbeat.reportBy(({ milliseconds }) => this.make(milliseconds));
    lifecycle.onDrain(() => {
      heartbeat.wake();
      return Promise.resolve();
    });
  }

  /** The state changes now, and the next heartbeat would show it seconds later. */
  onApplicationBootstrap(): void {
    this.database.whenReady().then(
      () => this.heartbeat.wake(),
      () => undefined,
    );
  }

  /** The host and the port of this instance. */
  get place(): string {
    return `${hostname()}:${this.config.PORT}`;
  }

  /** The report of the last heartbeat, with the current state. Null before the first one. */
  get current(): InstanceReport | null {
    return this.latest && { ...this.latest, ...this.state() };
  }

  private async make(databaseMilliseconds: number): Promise<InstanceReport> {
    const { requests, cpuMicroseconds, at } = reading();
    const passed = Math.max(1, at - this.last.at);
    const load = {
      replies: this.registry.size,
      requests_per_minute: Math.round(((requests - this.last.requests) * MINUTE_MILLISECONDS) / passed),
      cpu: rounded((cpuMicroseconds - this.last.cpuMicroseconds) / 1_000 / passed),
      rss_bytes: process.memoryUsage.rss(),
      connections: await this.connections(),
    };
    this.last = { requests, cpuMicroseconds, at };
    this.latest = {
      hostname: hostname(),
      place: this.place,
      version: BUILD.version,
      commit: BUILD.commit,
      node: process.version,
      started_at: new Date(this.clock.now().getTime() - (at - this.constructedAt)).toISOString(),
      ...this.state(),
      leases: this.leases.names(),
      lag: {
        database_ms: rounded(databaseMilliseconds),
        clock_ms: Math.round(this.clock.skewMilliseconds),
        event_loop_ms: rounded(this.gate.takeLongestDelay()),
      },
      load,
      config_hash: this.hash.value,
    };
    return this.latest;
  }

  private state(): Pick<InstanceReport, 'state' | 'log_level'> {
    const state = this.lifecycle.isDraining ? 'draining' : this.database.isReady ? 'serving' : 'starting';
    return { state, log_level: logLevel() ?? 'silent' };
  }

  private async connections(): Promise<number> {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    return promisify(server.getConnections.bind(server))();
  }
}

function reading(): Reading {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), requests: answeredRequests(), cpuMicroseconds: user + system };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
