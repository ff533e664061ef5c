import { parse } from 'node:querystring';
import { PayloadTooLargeError } from '../../errors/common.errors';
import { requireWellFormed } from '../../validation/well-formed';
import type { BodyRules } from './body-rules.decorator';
import { ByteList } from './byte-list';

/** The fields of a form while it arrives. */
export class FormBody {
  private readonly bytes = new ByteList();

  constructor(private readonly rules: BodyRules) {}

  /** @throws PayloadTooLargeError */
  add(part: Buffer): void {
    this.bytes.add(part);
    if (this.bytes.length > this.rules.limit) {
      throw new PayloadTooLargeError();
    }
  }

  /** A field that comes twice is a list, which no field of ours takes: RFC 6749 §3.2 has none twice. */
  parse(): unknown {
    const fields = { ...parse(this.bytes.join().toString()) };
    requireWellFormed(fields);
    return fields;
  }
}
