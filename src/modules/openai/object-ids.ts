import type { PipeTransform } from '@nestjs/common';
import type { ApiParamOptions } from '@nestjs/swagger';
import * as v from 'valibot';
import { described } from '../../common/validation/schemas/described';
import { maxCharacters } from '../../common/validation/schemas/max-characters';

/** The prefixes of the ids of OpenAI's objects. The id of the row follows. */
const PREFIXES = { file: 'file-', upload: 'upload_', part: 'part_', store: 'vs_', batch: 'vsfb_' } as const;

type ObjectKind = keyof typeof PREFIXES;

/** The length of the longest id that a path can have: `upload_2147483647`. */
const LONGEST_OBJECT_ID = 17;

/** No id of this service is longer. */
const LONGEST_SENT_ID = 64;

/** ID columns have 32 bits. */
export const LARGEST_ROW_ID = 2_147_483_647;

/** No row has this id, so that a malformed id is like a missing one. */
const NO_ROW = 0;

export function toObjectId(kind: ObjectKind, id: number): string {
  return `${PREFIXES[kind]}${id}`;
}

/** The id of the row; `NO_ROW` for a text that is not such an id. */
export function readObjectId(kind: ObjectKind, text: string): number {
  const prefix = PREFIXES[kind];
  const digits = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  const id = /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : NO_ROW;
  return id > LARGEST_ROW_ID ? NO_ROW : id;
}

/** Reads the id in a path. */
export class ObjectIdPipe implements PipeTransform<string, number> {
  constructor(private readonly kind: ObjectKind) {}

  transform(value: string): number {
    return readObjectId(this.kind, value);
  }
}

/** A path parameter in the OpenAPI document. */
export function objectIdParameter(name: string, kind: ObjectKind, what: string): ApiParamOptions {
  const description = `Id of the ${what}, such as \`${toObjectId(kind, 7)}\`.`;
  return { name, description, schema: { type: 'string', maxLength: LONGEST_OBJECT_ID } };
}

/** An id in a body. */
export const sentId = v.pipe(v.string(), maxCharacters(LONGEST_SENT_ID));

/** The id of a file in a body. */
export const sentFileId = described(sentId, 'Id of one of your files.', toObjectId('file', 7));
