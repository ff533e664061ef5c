import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { ForbiddenError } from '../../../common/security/security.errors';
import { SERVICE_VERSION } from '../../../common/service-version';
import { ContentAccessConfig } from '../../../config/content-access.config';
import { Database } from '../../../database/database';
import { inTimeRange } from '../../../database/statements/time-range';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { LegalHold } from '../../hold/hold.api';
import { TooManyHoldExportsError } from '../hold.errors';
import { HoldAdministrationService } from '../holds/hold-administration.service';
import { holdAudit } from '../holds/legal-hold.audit';
import type { ExportHoldQueryDto } from './export-hold-query.dto';
import { archiveOf, jsonLinesOf, type RowCounts } from './hold-export-files';
import { HoldRows } from './hold-rows';

/** Exports at once. Each reads all the data of many users. */
const MOST_AT_ONCE = 2;

const TYPES = { zip: 'application/zip', jsonl: 'application/x-ndjson; charset=utf-8' };

/** Sends what a hold keeps, as fast as the client reads it. Nothing is stored. */
@Injectable()
export class HoldExportService {
  private underWay = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: ContentAccessConfig,
    private readonly events: DomainEvents,
    private readonly holds: HoldAdministrationService,
    private readonly rows: HoldRows,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * @param response the export counts until this is closed
   * @throws ForbiddenError unless ADMIN_CONTENT_ACCESS is on
   * @throws HoldNotFoundError, TooManyHoldExportsError, InvalidParameterError for a period that ends before it starts
   */
  async start(by: number, id: number, query: ExportHoldQueryDto, response: Response): Promise<StreamableFile> {
    if (!this.config.ADMIN_CONTENT_ACCESS) {
      throw new ForbiddenError();
    }
    inTimeRange(query);
    const hold = await this.holds.get(id);
    this.count(response);
    await this.audit(hold, query, { state: 'started' });
    const content = Readable.from(this.content(by, hold, query), { objectMode: false });
    return new StreamableFile(content, {
      type: TYPES[query.format],
      disposition: `attachment; filename="hold-${id}.${query.format}"`,
    });
  }

  private count(response: Response): void {
    if (this.underWay >= MOST_AT_ONCE) {
      throw new TooManyHoldExportsError(MOST_AT_ONCE);
    }
    // A response that is already closed does not emit `close` again.
    if (!response.destroyed) {
      this.underWay++;
      response.once('close', () => this.underWay--);
    }
  }

  private async *content(by: number, hold: LegalHold, query: ExportHoldQueryDto): AsyncGenerator<Buffer> {
    const counts: RowCounts = {};
    const hash = createHash('sha256');
    const { id, scope, scopeId, name, reason, createdAt } = hold;
    const manifest = {
      hold: { id, scope, scope_id: scopeId, name, reason, created_at: createdAt.toISOString() },
      by,
      reason: query.reason,
      exported_at: this.clock.now().toISOString(),
      version: SERVICE_VERSION,
      ...(query.from !== undefined && { from: query.from }),
      ...(query.to !== undefined && { to: query.to }),
    };
    let isCut = true;
    try {
      const rows = await this.rows.rowsOf(hold, query);
      const bytes = query.format === 'zip' ? archiveOf(rows, this.blobs, counts, manifest) : jsonLinesOf(rows, counts);
      for await (const chunk of bytes) {
        hash.update(chunk);
        yield chunk;
      }
      isCut = false;
    } finally {
      const facts = { state: 'ended', counts, sha256: hash.digest('hex'), ...(isCut && { is_cut: true }) };
      // The request, which names the administrator, has ended.
      await this.audit(hold, query, facts, by);
    }
  }

  /** @param actorId outside the request */
  private audit({ id }: LegalHold, query: ExportHoldQueryDto, facts: object, actorId?: number): Promise<void> {
    const { format, reason, from = null, to = null } = query;
    const after = { format, from, to, ...facts };
    const change = { id, userId: null, before: null, after, reason, ...(actorId !== undefined && { actorId }) };
    return this.database.write((manager) => this.events.publish(manager, holdAudit.change('exported', change)));
  }
}
