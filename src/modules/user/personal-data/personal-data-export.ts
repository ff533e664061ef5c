import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { PersonalDataRegistry } from './personal-data-registry';

/** How much is made before the other side has read what was sent. A stream of objects would count rows, and one may be a large file. */
const BUFFERED_BYTES = 65_536;

/** Writes all that the service keeps of a user, as fast as the other side reads. */
@Injectable()
export class PersonalDataExport {
  constructor(
    private readonly clock: Clock,
    private readonly registry: PersonalDataRegistry,
  ) {}

  of(userId: number): StreamableFile {
    // When a row cannot be read, Nest cuts the connection. Nothing else can say that the file is not complete.
    const content = Readable.from(this.write(userId), { objectMode: false, highWaterMark: BUFFERED_BYTES });
    return new StreamableFile(content, {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="export-${userId}.json"`,
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
