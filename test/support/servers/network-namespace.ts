import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Swallowed } from './tcp-relay';

const run = promisify(execFile);

/** Nobody on a cable has it: what is sent there vanishes, as on a network that is cut, and nobody is told. */
const NOBODY = '02:00:00:00:00:01';

/** Addresses for tests of networks (RFC 2544), of which nothing else on a machine has one: 198.18.0.0/15, in fours. */
const NETWORKS = 32_768;

/** A network other than that of this machine, for a server. */
export interface ServerNetwork {
  /** The command before that of the server. */
  launcher: string[];
  /** Its address as seen from here. */
  host: string;
  /** Connects this machine with a server that runs. */
  connect(processId: number): Promise<void>;
}

/**
 * A network namespace of Linux that one server lives in, and dies with: two cables lead to it from this machine, and one of them can
 * be cut, for one way or both.
 */
export class NetworkNamespace implements ServerNetwork {
  readonly launcher = ['unshare', '--net'];
  private readonly first = randomInt(NETWORKS / 2) * 2;
  private readonly name = `chat${randomBytes(3).toString('hex')}`;
  private readonly cables = [0, 1].map((index) => {
    const [second, rest] = [18 + Math.floor((this.first + index) / 16_384), (this.first + index) % 16_384];
    const address = (host: number): string => `198.${second}.${Math.floor(rest / 64)}.${(rest % 64) * 4 + host}`;
    return { near: `${this.name}n${index}`, far: `${this.name}f${index}`, here: address(1), there: address(2) };
  });
  private processId = 0;

  /** Whether this process may make such a network. */
  static async isPossible(): Promise<boolean> {
    const name = `chat${randomBytes(3).toString('hex')}`;
    try {
      await run('unshare', ['--net', 'ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}p`]);
      // The one in which this process is, too.
      await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}p`]);
      await run('ip', ['link', 'del', name]);
      return true;
    } catch {
      return false;
    }
  }

  /** Its address over the cable that is never cut. */
  get host(): string {
    return this.cables[1]!.there;
  }

  /** Its address over the cable that can be cut. */
  get cutHost(): string {
    return this.cables[0]!.there;
  }

  async connect(processId: number): Promise<void> {
    this.processId = processId;
    for (const { near, far, here, there } of this.cables) {
      await run('ip', ['link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', String(processId)]);
      await run('ip', ['address', 'add', `${here}/30`, 'dev', near]);
      await run('ip', ['link', 'set', near, 'up']);
      await this.inside(['address', 'add', `${there}/30`, 'dev', far]);
      await this.inside(['link', 'set', far, 'up']);
    }
  }

  /** From now on packets vanish. */
  async swallow(swallowed: Swallowed): Promise<void> {
    const { near, far, here, there } = this.cables[0]!;
    const wrongly = (address: string, device: string): string[] => [
      ...['neighbour', 'replace', address, 'lladdr', NOBODY, 'dev', device, 'nud', 'permanent'],
    ];
    if (swallowed !== 'answers') await run('ip', wrongly(there, near));
    if (swallowed !== 'requests') await this.inside(wrongly(here, far));
  }

  /** Each side asks anew where the other one is. */
  async heal(): Promise<void> {
    const { near, far, here, there } = this.cables[0]!;
    const forget = (address: string, device: string): string[] => ['neighbour', 'del', address, 'dev', device];
    // One of them may not have been wrong, nor known.
    await run('ip', forget(there, near)).catch(() => undefined);
    await this.inside(forget(here, far)).catch(() => undefined);
  }

  private async inside(command: string[]): Promise<void> {
    await run('nsenter', [`--net=/proc/${this.processId}/ns/net`, 'ip', ...command]);
  }
}
