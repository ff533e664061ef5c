import { browser } from './browser';

/** Options of `files.upload`. */
export interface UploadOptions {
  /** Called with the part of the file that was sent, from 0 to 1. Outside of browsers, only at the end. */
  onProgress?: ((part: number) => void) | undefined;
  /** Aborts the upload. Nothing is stored. */
  signal?: AbortSignal | undefined;
}

/** A request for `sendWithProgress`. */
interface FormRequest {
  method: string;
  headers: Record<string, string>;
  body: FormData;
  signal: AbortSignal;
}

/** The form for a body with a file. Undefined for any other body, which is sent as JSON. */
export function formOf(body: unknown): FormData | undefined {
  const fields = Object.entries(body ?? {}) as [string, string | Blob | undefined][];
  if (!fields.some(([, value]) => value instanceof Blob)) return undefined;
  const form = new FormData();
  for (const [name, value] of fields) if (value !== undefined) form.append(name, value);
  return form;
}

/** Whether uploads can report their progress: only browsers have this. */
export const canReportProgress = browser.XMLHttpRequest !== undefined;

/** Sends a form like `fetch`, which reports no progress of uploads. */
export function sendWithProgress(
  address: string,
  { method, headers, body, signal }: FormRequest,
  onProgress: (part: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
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
