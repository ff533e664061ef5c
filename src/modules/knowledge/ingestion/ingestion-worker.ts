import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { HeldLeases } from '../../../common/background/held-leases';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { Lifecycle } from '../../../common/lifecycle';
import { gauge } from '../../../common/metrics/metrics';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Tracing } from '../../../common/tracing/tracing';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRow } from '../../../database/statements/find';
import { PassageIndex } from '../../../integrations/passage-index/passage-index';
import { StorageQuotaExceededError } from '../../usage/usage.api';
import { EntryOutcomes } from '../collections/entry-outcomes';
import { IngestionQueue } from '../collections/ingestion-queue';
import { PassageCleanup } from '../collections/passage-cleanup';
import { EmbeddingRefusedError, PassageEmbedding } from '../embedding/passage-embedding';
import { type EntryError, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { IngestionConfig } from './ingestion.config';
import { CollectionFullError, IngestionRun, isFinal } from './ingestion-run';
import { JobClaims, JobGoneError } from './job-claims';

/** How often a job shows that this instance works on it, and checks whether it may continue. */
const RENEWAL_MILLISECONDS = 3 * SECOND_MILLISECONDS;

/** How often an instance looks for jobs that others left. With the lease, they are continued within 13 s. */
const LOOK_MILLISECONDS = 2.5 * SECOND_MILLISECONDS;

/** Attempts without progress, such as deaths of the parser, after which a job fails. */
const MOST_ATTEMPTS = 3;

/** When a job is tried again that found no database. */
const UNAVAILABLE_MILLISECONDS = 5 * SECOND_MILLISECONDS;

/** How long a stopping process waits for its jobs, which it interrupts. */
const SHUTDOWN_MILLISECONDS = 5 * SECOND_MILLISECONDS;

/** Why a job stops before it is done. */
class InterruptedError extends Error {}

interface RunningJob {
  stop: AbortController;
  done: Promise<void>;
}

/**
 * Ingests files: takes due jobs, some at once, and runs them with `IngestionRun`. A job whose process dies is continued
 * by another instance. The webhook worker has the same structure.
 */
@Injectable()
export class IngestionWorker {
  private readonly logger = new Logger(IngestionWorker.name);
  private readonly running = new Map<number, RunningJob>();
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly claims: JobClaims,
    private readonly run: IngestionRun,
    private readonly outcomes: EntryOutcomes,
    private readonly clock: SharedClock,
    private readonly config: IngestionConfig,
    private readonly tracing: Tracing,
    index: PassageIndex,
    embedding: PassageEmbedding,
    cleanup: PassageCleanup,
    queue: IngestionQueue,
    background: BackgroundWork,
    lifecycle: Lifecycle,
    leases: HeldLeases,
  ) {
    leases.add('ingestion', () => this.running.size > 0);
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'The queue of files to be read could not be worked on.'),
      idleMilliseconds: database.isShared ? LOOK_MILLISECONDS : MINUTE_MILLISECONDS,
    });
    queue.onWork(() => this.loop.wake());
    cleanup.onRemove(async (manager, passageIds) => {
      await index.forget(manager, passageIds);
      await embedding.forgetEnded(manager, passageIds);
    });
    lifecycle.onDrain(
      () => this.finish(),
      () => (this.running.size === 0 ? null : `files that are being read (${SHUTDOWN_MILLISECONDS / 1_000} s at most)`),
    );
    gauge('knowledge_queue_seconds', 'Age of the oldest file that waits to be read', () => this.oldest());
  }

  private async step(): Promise<number | null> {
    const free = this.config.KNOWLEDGE_INGESTIONS - this.running.size;
    if (free <= 0) {
      return null;
    }
    const jobs = await this.claims.claim(free);
    jobs.forEach((job) => this.begin(job));
    return jobs.length > 0 ? null : await this.untilNext();
  }

  private begin(job: KnowledgeJobEntity): void {
    const stop = new AbortController();
    const done = this.tracing
      .traceJob(
        'ingestion',
        () => this.work(job, stop),
        () => ({ files: 1 }),
      )
      .catch((error: unknown) => this.logger.warn({ job_id: job.id, error }, 'A file waits until its lease ends.'))
      .finally(() => {
        this.running.delete(job.id);
        this.loop.wake();
      });
    this.running.set(job.id, { stop, done });
  }

  private async work(job: KnowledgeJobEntity, stop: AbortController): Promise<void> {
    let hasProgress = false;
    const timer = setInterval(() => void this.renew(job, stop), RENEWAL_MILLISECONDS);
    try {
      await this.run.make(job, stop.signal, () => {
        hasProgress = true;
      });
      await this.database.write((manager) => this.claims.end(manager, job));
    } catch (error) {
      await this.settle(job, stop.signal.aborted ? new InterruptedError() : error, hasProgress);
    } finally {
      clearInterval(timer);
    }
  }

  private async renew(job: KnowledgeJobEntity, stop: AbortController): Promise<void> {
    try {
      if (!(await this.claims.renew(job))) {
        stop.abort(new InterruptedError());
      }
    } catch (error) {
      this.logger.warn({ job_id: job.id, error }, 'The lease of a file that is being read could not be renewed.');
    }
  }

  private async settle(job: KnowledgeJobEntity, error: unknown, hasProgress: boolean): Promise<void> {
    if (error instanceof InterruptedError || error instanceof JobGoneError) {
      return this.claims.release(job);
    }
    const fault = faultOf(error);
    if (fault !== null) {
      return this.fail(job, fault);
    }
    const wait = waitOf(error);
    if (wait !== null) {
      return this.claims.release(job, { nextAt: new Date(this.clock.now().getTime() + wait) });
    }
    const attempts = hasProgress ? 1 : job.attempts + 1;
    const entry = await findRow(this.database.manager, KnowledgeEntryEntity, { id: job.entryId });
    const facts = { job_id: job.id, request_id: entry?.requestId, attempts, error };
    this.logger.error(facts, 'A file could not be read for a reason that is not in the file.');
    if (attempts >= MOST_ATTEMPTS) {
      return this.fail(job, 'internal');
    }
    const nextAt = new Date(this.clock.now().getTime() + attempts * SECOND_MILLISECONDS);
    await this.claims.release(job, { attempts, nextAt });
  }

  private async fail(job: KnowledgeJobEntity, error: EntryError): Promise<void> {
    await this.database.write(async (manager) => {
      if (await this.claims.holds(manager, job)) {
        await this.outcomes.fail(manager, job.id, error);
      }
      await this.claims.end(manager, job);
    });
  }

  /** Milliseconds until a job that waits is due; null: none waits. */
  private async untilNext(): Promise<number | null> {
    const next = await findRow(
      this.database.manager,
      KnowledgeJobEntity,
      { state: 'queued' },
      { members: ['nextAt'], order: { nextAt: 'ASC' } },
    );
    const wait = next === null ? null : next.nextAt.getTime() - this.clock.now().getTime();
    // Due jobs that were not taken wait for their owners.
    return wait === null || wait <= 0 ? (wait === null ? null : LOOK_MILLISECONDS) : wait;
  }

  private async oldest(): Promise<number> {
    const job = await findRow(
      this.database.manager,
      KnowledgeJobEntity,
      { state: 'queued', nextAt: LessThanOrEqual(this.clock.now()) },
      { members: ['createdAt'], order: { createdAt: 'ASC' } },
    );
    return job === null ? 0 : (this.clock.now().getTime() - job.createdAt.getTime()) / SECOND_MILLISECONDS;
  }

  private async finish(): Promise<void> {
    await this.loop.stop();
    const running = [...this.running.values()];
    running.forEach(({ stop }) => stop.abort(new InterruptedError()));
    await Promise.all(running.map(({ done }) => done));
  }
}

/** When to continue, in milliseconds, if something else than the file is at fault: that is no attempt. Null: it is one. */
function waitOf(error: unknown): number | null {
  if (error instanceof EmbeddingRefusedError) {
    return error.wait;
  }
  return error instanceof ServiceUnavailableError ? UNAVAILABLE_MILLISECONDS : null;
}

/** Why the file itself cannot be ingested; null: another attempt may succeed. */
function faultOf(error: unknown): EntryError | null {
  if (error instanceof StorageQuotaExceededError) {
    return 'storage';
  }
  if (error instanceof CollectionFullError) {
    return 'limit';
  }
  return isFinal(error) ? (error as { fault: EntryError }).fault : null;
}
