import type * as Sdk from '@modelcontextprotocol/client';
import { loadPackage } from '../../../common/load-package';

/** Loads the MCP client on first use, because it takes 26 MB and a third of a second. */
export function loadMcpSdk(): typeof Sdk {
  return loadPackage('@modelcontextprotocol/client') as typeof Sdk;
}
