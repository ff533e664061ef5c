import type * as Sdk from '@modelcontextprotocol/client';
import { loadPackage } from '../../../common/load-package';

/** The client of the protocol. It takes 26 MB and a third of a second: only who has a server loads it. */
export function loadMcpSdk(): typeof Sdk {
  return loadPackage('@modelcontextprotocol/client') as typeof Sdk;
}
