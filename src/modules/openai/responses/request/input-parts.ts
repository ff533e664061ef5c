import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { FileReference } from '../../../generation/generation.api';
import { refuseLongParts } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import { type InputPart, isKnownPart } from './content-schema';
import { type InputItem, isServerCall } from './input-item-schema';

/** An image or a file in the input, and where it stands there. */
export interface Located {
  part: Exclude<InputPart, { type: 'input_text' }>;
  field: string;
}

/** Before any file is fetched. */
export function refuseLongItems(items: string | InputItem[], field: string): void {
  if (typeof items !== 'string') {
    items.forEach((item, index) => {
      const place = `${field}[${index}]`;
      if ('role' in item) {
        refuseLongParts(item.content, `${place}.content`);
      } else if ('output' in item && !isServerCall(item)) {
        refuseLongParts(item.output, `${place}.output`);
      }
    });
  }
}

export function locateFiles(items: InputItem[], field: string): Located[] {
  return items.flatMap((item, index) => {
    if (isServerCall(item)) {
      return [];
    }
    const member = 'output' in item ? 'output' : 'content';
    const content = 'output' in item ? item.output : 'content' in item && item.role === 'user' ? item.content : '';
    return typeof content === 'string'
      ? []
      : content.flatMap((part, place) =>
          !isKnownPart(part) || part.type === 'input_text'
            ? []
            : [{ part, field: `${field}[${index}].${member}[${place}]` }],
        );
  });
}

/** @throws UnsupportedParameterError for uploaded files, which this service does not have; InvalidParameterError for none */
export function toReference({ part, field }: Located): FileReference {
  if (typeof part.file_id === 'string') {
    throw new UnsupportedParameterError(`${field}.file_id`);
  }
  if (part.type === 'input_image') {
    return {
      type: 'image',
      field: `${field}.image_url`,
      url: required(part.image_url, `${field}.image_url`),
      name: null,
      detail: part.detail,
    };
  }
  const { file_data, file_url, filename: name } = part;
  const isUrl = typeof file_data !== 'string';
  const place = `${field}.${isUrl ? 'file_url' : 'file_data'}`;
  return {
    type: 'file',
    field: place,
    url: required(file_data ?? file_url, `${field}.file_data`),
    name: name ?? null,
    detail: null,
  };
}

function required(value: string | null | undefined, field: string): string {
  if (value === null || value === undefined) {
    throw new InvalidParameterError([{ field, reason: 'required' }]);
  }
  return value;
}
