import type { BinaryPart } from '../../port/message-parts';

export function base64Of({ data }: BinaryPart): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

export function dataUrlOf(part: BinaryPart): string {
  return `data:${part.media_type};base64,${base64Of(part)}`;
}
