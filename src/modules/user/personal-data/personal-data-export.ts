import { Readable } from 'node:stream';
import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../common/clock';
import { PersonalDataRegistry } from './personal-data-registry.service';

/** Writes all that is kept of a user, as fast as it is read by the other side. */
@Injectable()
export class PersonalDataExport {
  private readonly logger = new Logger(PersonalDataExport.name);

  constructor(
    private readonly clock: Clock,
    private readonly registry: PersonalDataRegistry,
  ) {}

  of(userId: number): StreamableFile {
    const file = new StreamableFile(Readable.from(this.write(userId)), {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="export-${userId}.json"`,
    });
    return file.setErrorHandler((error, response) => {
      this.logger.error(error);
      // Only a cut connection tells that the file is not whole.
      (response as unknown as Response).destroy();
    });
  }

  private async *write(userId: number): AsyncGenerator<string> {
    yield `{"exported_at":${JSON.stringify(this.clock.now())},"user_id":${userId}`;
    for (const source of this.registry.sources) {
      let separator = `,${JSON.stringify(source.name)}:[`;
      for await (const row of source.rows(userId)) {
        yield separator + JSON.stringify(row);
        separator = ',';
      }
      yield separator === ',' ? ']' : `${separator}]`;
    }
    yield '}\n';
  }
}
