import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import type { FileContent } from './files.service';

/** Prevents a browser from rendering the file as a page of this service, or running scripts in it. */
const HEADERS = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
};

/** Sends the bytes of a file as a download. */
export function sendContent(response: Response, { file, content }: FileContent): StreamableFile {
  const { filename, mediaType, bytes } = file;
  response.attachment(filename);
  Object.entries(HEADERS).forEach(([header, value]) => response.setHeader(header, value));
  return new StreamableFile(content, { type: mediaType, length: bytes });
}
