import type { INestApplication } from '@nestjs/common';
import { OperatorError } from '../config/operator.error';

/** What an operator can do when the system refuses the address, by Node's error code. */
const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'another program listens there already. Stop it, or set another PORT',
  EACCES: 'that needs more rights. Set a PORT from 1024 on',
  EADDRNOTAVAIL: 'this machine does not have that address. Set HOST to one of its own, or to 0.0.0.0 for all',
  ENOTFOUND: 'there is no such address. Set HOST to one of this machine, or to 0.0.0.0 for all',
};

/** The service cannot listen on its address. The message says what the operator can do. */
export class ListenError extends OperatorError {
  override readonly name = 'ListenError';

  constructor(host: string, port: number, { code = '', message }: NodeJS.ErrnoException) {
    const reason = REMEDIES[code] ?? message;
    super(`The service cannot listen on ${host}, port ${port}: ${reason} (${code}).`);
  }
}

/**
 * More than any system allows. Each system cuts it to its own limit (Linux: net.core.somaxconn). Node's default is 511.
 */
const BACKLOG = 65_535;

/** The application must be initialized, so that only listening can fail here. @throws ListenError */
export async function listen(app: INestApplication, port: number, host: string): Promise<void> {
  try {
    // The types name two parameters only, but Nest passes all on to Node.
    await (app.listen as (...parameters: unknown[]) => Promise<unknown>).call(app, port, host, BACKLOG);
  } catch (error) {
    throw new ListenError(host, port, error as NodeJS.ErrnoException);
  }
}
