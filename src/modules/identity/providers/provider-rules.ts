/** Hosts of Microsoft Entra, in every cloud. */
const ENTRA_HOSTS = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
]);

/** Values in place of an Entra tenant that admit all accounts, or all personal accounts. */
const SHARED_TENANTS = new Set([
  'common',
  'consumers',
  'organizations',
  '{tenantid}',
  '9188040d-6c67-4c5b-b112-36a304b66dad',
]);

const GOOGLE = 'https://accounts.google.com';

/** Whether the value is a valid issuer address (OpenID Connect Discovery 1.0 §3). */
export function isIssuer(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\/[^/]/.test(value) || /[\s\p{Cc}\\?#]/u.test(value)) {
    return false;
  }
  if (!URL.canParse(value)) {
    return false;
  }
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** Whether the issuer serves all tenants, so that its email addresses do not identify one company. */
export function servesAllTenants(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  const tenant = decoded(pathname.split('/')[1] ?? '').toLowerCase();
  return ENTRA_HOSTS.has(hostname) && SHARED_TENANTS.has(tenant);
}

/** Whether anyone can get an identity of the issuer, so that it must not create accounts for all users. */
export function isOpenToAll(issuer: string): boolean {
  return issuer.replace(/\/$/, '').toLowerCase() === GOOGLE;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
