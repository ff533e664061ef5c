import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, LessThanOrEqual, MoreThan } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRow } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import type { Grant } from '../oauth/oauth-grant';
import { TokenRequests } from '../oauth/token-requests';
import { McpServerCipher } from '../servers/mcp-server.store';
import { McpRevocationEntity } from './revocation.entity';

/** Milliseconds to wait after the first and the second attempt. There is no fourth. */
const RETRY_PAUSES = [5_000, 60_000];

const REQUEST_MILLISECONDS = 10_000;

/** How long a claim lasts before another worker may try. No attempt takes this long. */
const CLAIM_MILLISECONDS = 60_000;

type ClaimedRevocation = McpRevocationEntity & { claimToken: string };

/** Revokes the tokens of ended connections at the authorization server that issued them (RFC 7009). */
@Injectable()
export class RevocationWorker {
  private readonly logger = new Logger(RevocationWorker.name);
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly cipher: McpServerCipher,
    private readonly requests: TokenRequests,
    background: BackgroundWork,
  ) {
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'Tokens of ended connections could not be looked up.'),
    });
  }

  /**
   * Queues revocations. Call it within `Database.write`, in the transaction that ends the connections, so that a crash
   * loses none.
   */
  async add(manager: EntityManager, connections: readonly { sealed: string }[]): Promise<void> {
    const dueAt = this.clock.now();
    const rows = connections.map(({ sealed }) => ({ sealed, attempts: 0, claimToken: null, dueAt }));
    await insertBatch(manager, McpRevocationEntity, rows);
    this.database.onCommit(() => this.loop.wake());
  }

  /** Revokes the tokens of one connection. Returns the milliseconds until the next one is due. */
  async step(): Promise<number | null> {
    const claimed = await this.claim();
    if (claimed !== null) {
      await this.releaseClaim(claimed);
      return 0;
    }
    const next = await findRow(
      this.database.manager,
      McpRevocationEntity,
      { dueAt: MoreThan(this.clock.now()) },
      { members: ['dueAt'], order: { dueAt: 'ASC' } },
    );
    return next === null ? null : Math.max(1, next.dueAt.getTime() - this.clock.now().getTime());
  }

  private async claim(): Promise<ClaimedRevocation | null> {
    const now = this.clock.now();
    const dueAt = LessThanOrEqual(now);
    const due = await findRow(
      this.database.manager,
      McpRevocationEntity,
      { dueAt },
      { order: { dueAt: 'ASC', id: 'ASC' } },
    );
    if (due === null) {
      return null;
    }
    const claim = { claimToken: randomUUID(), dueAt: new Date(now.getTime() + CLAIM_MILLISECONDS) };
    // The due time decides between workers: the first update changes it, so the second one finds no row.
    const taken = await this.database.write((manager) =>
      updateRows(manager, McpRevocationEntity, claim, { id: due.id, dueAt }, [], { attempts: 1 }),
    );
    return taken === 1 ? { ...due, ...claim, attempts: due.attempts + 1 } : this.claim();
  }

  private async releaseClaim({ id, claimToken, sealed, attempts }: ClaimedRevocation): Promise<void> {
    const text = this.cipher.decryptOrNull(sealed);
    try {
      if (text !== null) {
        await this.requests.revoke(JSON.parse(text) as Grant, AbortSignal.timeout(REQUEST_MILLISECONDS));
      }
    } catch (error) {
      const pause = RETRY_PAUSES[attempts - 1];
      const { message } = error as Error;
      this.logger.warn({ attempts, reason: message }, 'Tokens of an ended connection were not taken back.');
      if (pause !== undefined) {
        const changes = { claimToken: null, dueAt: new Date(this.clock.now().getTime() + pause) };
        await this.database.write((manager) => updateRows(manager, McpRevocationEntity, changes, { id, claimToken }));
        return;
      }
    }
    await this.database.write((manager) => deleteRows(manager, McpRevocationEntity, { id }));
  }
}
