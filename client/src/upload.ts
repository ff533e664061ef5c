import { browser } from './browser';

/** Options of `files.upload`. */
export interface UploadOptions {
  /** Called with the part of the file that was sent, from 0 to 1. Only browsers report it. */
  onProgress?: ((part: number) => void) | undefined;
  /** Aborts the upload. Nothing is stored. */
  signal?: AbortSignal | undefined;
}

/** The part of `RequestInit` that is used. */
interface SentRequest {
  method: string;
  headers: Record<string, string>;
  body: FormData | string | null;
  signal: AbortSignal;
}

/** Sends a request like `fetch`, which reports no progress of uploads. */
export function sendWithProgress(
  address: string,
  { method, headers, body, signal }: SentRequest,
  onProgress: (part: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new browser.XMLHttpRequest!();
    request.open(method, address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.responseType = 'blob';
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      const { response, status, statusText } = request;
      const lines = request.getAllResponseHeaders().trim().split(/\r\n/);
      const received = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
      resolve(new Response(response, { status, statusText, headers: received }));
    };
    request.onerror = request.onabort = () => reject(new TypeError('The connection was lost.'));
    signal.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}
