import { promises as dns } from 'node:dns';
import { Injectable, Module } from '@nestjs/common';
import { NameResolver } from './name-resolver';

const TIMEOUT_MILLISECONDS = 2_000;
const TRIES = 2;

/**
 * Queries the name servers of this machine. Names that users chose are resolved over sockets of this process. The
 * system's resolver would block one of the process's four worker threads for each name, and password hashing needs
 * these threads too.
 */
@Injectable()
export class SystemNameResolver extends NameResolver {
  private readonly resolver = new dns.Resolver({ timeout: TIMEOUT_MILLISECONDS, tries: TRIES });

  async resolvePublic(name: string): Promise<string[]> {
    const [v4, v6] = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }

  async resolveInner(name: string): Promise<string[]> {
    const addresses = await dns.lookup(name, { all: true, verbatim: true }).catch(() => []);
    return addresses.map(({ address }) => address);
  }
}

/**
 * Shared code for requests to other machines. `guardedLookup` opens connections only to checked addresses,
 * `AllowedHosts` reads the operator's lists, and `link-local.ts` lists addresses that are never called.
 */
@Module({ providers: [{ provide: NameResolver, useClass: SystemNameResolver }], exports: [NameResolver] })
export class NetworkModule {}
