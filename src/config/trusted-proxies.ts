import { isIP } from 'node:net';
import express from 'express';

const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether it says which proxies to trust: `off`, a number of hops, or a list of what Express takes as addresses. */
export function isTrustedProxies(setting: string): boolean {
  if (/^(off|\d{1,2})$/.test(setting)) {
    return true;
  }
  // Express takes 012.1.1.1 and 123 for addresses too; nobody means that.
  const areAddresses = setting.split(',').every((part) => {
    const [address = ''] = part.trim().split('/');
    return NAMES.includes(part.trim()) || isIP(address) !== 0;
  });
  return areAddresses && isTakenByExpress(setting);
}

/** Express reads the list when it is set, and throws at what it cannot use. */
function isTakenByExpress(setting: string): boolean {
  try {
    express().set('trust proxy', setting);
    return true;
  } catch {
    return false;
  }
}
