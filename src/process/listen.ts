import type { INestApplication } from '@nestjs/common';
import { OperatorError } from '../config/operator.error';

/** What an operator can do when the system refuses, by Node's error code. */
const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'another program listens there already. Stop it, or set another PORT',
  EACCES: 'that needs more rights. Set a PORT from 1024 on',
  EADDRNOTAVAIL: 'this machine does not have that address. Set HOST to one of its own, or to 0.0.0.0 for all',
  ENOTFOUND: 'there is no such address. Set HOST to one of this machine, or to 0.0.0.0 for all',
};

/** The service cannot be reached under its address; the message tells the operator what to do. */
export class ListenError extends OperatorError {
  override readonly name = 'ListenError';

  constructor(host: string, port: number, { code = '', message }: NodeJS.ErrnoException) {
    const reason = REMEDIES[code] ?? message;
    super(`The service cannot listen on ${host}, port ${port}: ${reason} (${code}).`);
  }
}

/** The application must be initialized, so that only listening can fail here. @throws ListenError */
export async function listen(app: INestApplication, port: number, host: string): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    throw new ListenError(host, port, error as NodeJS.ErrnoException);
  }
}
