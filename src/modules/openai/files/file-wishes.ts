import type { ApiBodyOptions } from '@nestjs/swagger';
import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { SchemaPipe } from '../../../common/validation/schemas/schema.pipe';
import { FILE_PURPOSES, type FileWishes } from '../../knowledge/knowledge.api';

const SHORTEST_LIFE = 3_600;
const LONGEST_LIFE = 2_592_000;

/** What the client decides about its file. */
export const fileWishes = v.object({
  purpose: described(v.picklist(FILE_PURPOSES), 'What the file is for. It has no effect here.', 'assistants'),
  expires_after: described(
    v.nullish(
      v.object({
        anchor: v.literal('created_at'),
        seconds: v.pipe(v.number(), v.integer(), v.minValue(SHORTEST_LIFE), v.maxValue(LONGEST_LIFE)),
      }),
    ),
    'When the file is deleted: an hour to 30 days after it was created. Default: it stays.',
  ),
});

export function toFileWishes({ purpose, expires_after: life }: v.InferOutput<typeof fileWishes>): FileWishes {
  return { purpose, expiresAfterSeconds: life?.seconds ?? null };
}

const wishes = new SchemaPipe(fileWishes);

/** The wishes in the fields of a form, in the spelling of OpenAI's clients. @throws InvalidParameterError */
export function readFileForm(fields: Record<string, string>): FileWishes {
  const { purpose, 'expires_after[anchor]': anchor, 'expires_after[seconds]': text } = fields;
  const seconds = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
  const hasLife = anchor !== undefined || seconds !== undefined;
  return toFileWishes(wishes.transform({ purpose, ...(hasLife && { expires_after: { anchor, seconds } }) }));
}

const BYTES = { type: 'string', format: 'binary' };

/** The form that uploads a file. */
export const FILE_FORM = {
  required: true,
  schema: {
    type: 'object',
    required: ['file', 'purpose'],
    properties: {
      file: { ...BYTES, description: 'The file, with its name.' },
      purpose: { type: 'string', enum: FILE_PURPOSES, description: 'What the file is for. It has no effect here.' },
      'expires_after[anchor]': { type: 'string', enum: ['created_at'], description: 'Always `created_at`.' },
      'expires_after[seconds]': {
        type: 'integer',
        minimum: SHORTEST_LIFE,
        maximum: LONGEST_LIFE,
        description: 'Seconds after which the file is deleted. Default: it stays.',
      },
    },
  },
  examples: { form: { summary: 'A form with a file', value: { file: '(the bytes)', purpose: 'assistants' } } },
} as unknown as ApiBodyOptions;

/** The form that sends a part of a file. */
export const PART_FORM = {
  required: true,
  schema: {
    type: 'object',
    required: ['data'],
    properties: { data: { ...BYTES, description: 'The bytes of the part.' } },
  },
  examples: { form: { summary: 'A form with a part', value: { data: '(the bytes)' } } },
} as unknown as ApiBodyOptions;
