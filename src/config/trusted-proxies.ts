import { isIP } from 'node:net';
import express from 'express';

const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether the text is a valid setting: `off`, a number of hops, or a list of addresses that Express accepts. */
export function isTrustedProxies(setting: string): boolean {
  if (/^(off|\d{1,2})$/.test(setting)) {
    return true;
  }
  // Express also accepts 012.1.1.1 and 123 as addresses, which are most likely mistakes.
  const areAddresses = setting.split(',').every((part) => {
    const [address = ''] = part.trim().split('/');
    return NAMES.includes(part.trim()) || isIP(address) !== 0;
  });
  return areAddresses && isTakenByExpress(setting);
}

/** Express parses the list when it is set, and throws if the list is invalid. */
function isTakenByExpress(setting: string): boolean {
  try {
    express().set('trust proxy', setting);
    return true;
  } catch {
    return false;
  }
}
