import { readFileSync } from 'node:fs';
import { OperatorError } from '../config/operator.error';

/** The files that the start itself needs, with some connections to the database. */
const FEWEST_FILES = 256;

/** The limit of open files is too low to start, or to serve more than a few users. */
export class TooFewFilesError extends OperatorError {
  override readonly name = 'TooFewFilesError';

  constructor(files: number) {
    super(
      `The process may have only ${files} files and connections open at once, fewer than the ${FEWEST_FILES} that the service ` +
        'needs; each client takes one more. Raise the hard limit: `ulimit -n` in a shell, LimitNOFILE in a unit of systemd, ' +
        '`ulimits: nofile` in Docker Compose.',
    );
  }
}

/** Only Linux has its limit in a file. Node has raised the soft limit to the hard one. @throws TooFewFilesError */
export function assertEnoughFiles(limits: string = limitsOfProcess()): void {
  const [, files] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (files !== undefined && Number(files) < FEWEST_FILES) {
    throw new TooFewFilesError(Number(files));
  }
}

function limitsOfProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
