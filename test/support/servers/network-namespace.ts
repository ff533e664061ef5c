import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Swallowed } from './tcp-relay';

const run = promisify(execFile);

/** No host on a cable has it: packets to it are dropped silently, as on a broken network. */
const NOBODY = '02:00:00:00:00:01';

/** Addresses for network tests (RFC 2544), which no other host on a machine has: 198.18.0.0/15, in blocks of four. */
const NETWORKS = 32_768;

/** A network other than this machine's, for a server. */
export interface ServerNetwork {
  /** The command that prefixes the server's. */
  launcher: string[];
  /** Its address as seen from here. */
  host: string;
  /** Connects this machine to a running server. */
  connect(processId: number): Promise<void>;
}

/**
 * A Linux network namespace of one server, which is removed with it: two cables lead to it from this machine, and one
 * of them can be cut, in one direction or both.
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

  /** Whether this process may create such a network. */
  static async isPossible(): Promise<boolean> {
    const name = `chat${randomBytes(3).toString('hex')}`;
    try {
      await run('unshare', ['--net', 'ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}p`]);
      // The namespace of this process, too.
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

  /** From now on packets are dropped. */
  async swallow(swallowed: Swallowed): Promise<void> {
    const { near, far, here, there } = this.cables[0]!;
    const wrongly = (address: string, device: string): string[] => [
      ...['neighbour', 'replace', address, 'lladdr', NOBODY, 'dev', device, 'nud', 'permanent'],
    ];
    if (swallowed !== 'answers') await run('ip', wrongly(there, near));
    if (swallowed !== 'requests') await this.inside(wrongly(here, far));
  }

  /** Each side resolves the other's address again. */
  async heal(): Promise<void> {
    const { near, far, here, there } = this.cables[0]!;
    const forget = (address: string, device: string): string[] => ['neighbour', 'del', address, 'dev', device];
    // One of them may have been right, or unknown.
    await run('ip', forget(there, near)).catch(() => undefined);
    await this.inside(forget(here, far)).catch(() => undefined);
  }

  private async inside(command: string[]): Promise<void> {
    await run('nsenter', [`--net=/proc/${this.processId}/ns/net`, 'ip', ...command]);
  }
}
