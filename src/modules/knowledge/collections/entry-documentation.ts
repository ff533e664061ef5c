import type { ApiBodyOptions } from '@nestjs/swagger';
import { ApiSchemaBody } from '../../../common/validation/schemas/documented-schemas';
import { namedSchema, referenceTo } from '../../../common/validation/schemas/named-schema';
import { attachFile, changeEntry, retryEntry } from './entry-fields';

const FILE = { type: 'string', format: 'binary', description: 'The file, with its name.' };

const ATTACH = namedSchema('AttachFile', attachFile);

/** The schemas that the module names in the API document. */
export const ENTRY_SCHEMAS = [ATTACH];

/** What a form has in addition to the file: objects are JSON texts. */
const FORM = {
  type: 'object',
  required: ['file'],
  properties: {
    file: FILE,
    attributes: { type: 'string', description: 'JSON of the attributes.', example: '{"department": "sales"}' },
    chunking_strategy: { type: 'string', description: 'JSON of the strategy.', example: '{"type": "auto"}' },
  },
};

export const ATTACH_BODY = {
  required: true,
  schema: { anyOf: [referenceTo(ATTACH), FORM] },
  examples: {
    json: { summary: 'One of your files', value: { file_id: 7, attributes: { department: 'sales' } } },
  },
} as ApiBodyOptions;

export const ApiChangeBody = (): MethodDecorator =>
  ApiSchemaBody('ChangeKnowledgeFile', changeEntry, { change: { value: { attributes: { department: 'sales' } } } });

export const ApiRetryBody = (): MethodDecorator =>
  ApiSchemaBody('RetryKnowledgeFile', retryEntry, { retry: { value: { embeddings: true } } });

/** The form that uploads a file. */
export const UPLOAD_BODY = {
  required: true,
  schema: {
    type: 'object',
    required: ['file'],
    properties: {
      file: FILE,
      purpose: {
        type: 'string',
        enum: ['assistants', 'user_data', 'vision', 'evals'],
        default: 'user_data',
        description: 'What it is for, in OpenAI’s terms.',
      },
    },
  },
  examples: { form: { summary: 'A form with a file', value: { file: '(the bytes)', purpose: 'user_data' } } },
} as ApiBodyOptions;
