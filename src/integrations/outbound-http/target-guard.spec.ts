import { FORBIDDEN_URLS, INNER_HOSTS, NAMES } from '../../../test/support/inner-hosts';
import { AllowedHosts } from '../../common/network/allowed-hosts';
import { NameResolver } from '../../common/network/name-resolver';
import { ForbiddenTargetError, TargetGuard } from './target-guard';

class FixedNames extends NameResolver {
  constructor(private readonly names: Record<string, string[]>) {
    super();
  }

  resolvePublic(name: string): Promise<string[]> {
    return Promise.resolve(this.names[name] ?? []);
  }

  resolveInner(name: string): Promise<string[]> {
    return Promise.resolve(this.names[name] ?? []);
  }
}

function guard({ allowed = [] as string[], isHttpsRequired = true, isAllowedOnly = false } = {}): TargetGuard {
  const allowedHosts = new AllowedHosts(allowed);
  return new TargetGuard({ isHttpsRequired, allowedHosts, isAllowedOnly }, new FixedNames(NAMES));
}

async function reasonFor(url: string, targetGuard = guard()): Promise<string> {
  try {
    return (await targetGuard.addressesOf(new URL(url))).join(',');
  } catch (error) {
    return error instanceof ForbiddenTargetError ? error.reason : String(error);
  }
}

describe('TargetGuard', () => {
  it('returns all addresses of a public name', async () => {
    expect(await reasonFor('https://hooks.example.com/in?x=1')).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('https://hooks.example.com:8443/')).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('https://HOOKS.example.com./')).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('https://93.184.216.34/')).toBe('93.184.216.34');
  });

  it.each(INNER_HOSTS)('refuses https://%s/', async (host) => {
    expect(await reasonFor(`https://${host}/`)).toBe('address_not_public');
  });

  it.each(FORBIDDEN_URLS)('refuses %s: %s', async (url, reason) => {
    expect(await reasonFor(url)).toBe(reason);
  });

  it('accepts plain http outside production', async () => {
    const development = guard({ isHttpsRequired: false });
    expect(await reasonFor('http://hooks.example.com/', development)).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('http://127.0.0.1/', development)).toBe('address_not_public');
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8080/', '127.0.0.1'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/', '127.0.0.1'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081/', 'address_not_public'],
    ['[::1]:8080', 'http://[::1]:8080/', '::1'],
    ['::1', 'http://[::1]:8080/', '::1'],
    ['10.0.0.0/8', 'https://10.9.8.7:81/', '10.9.8.7'],
    ['10.0.0.0/8', 'https://inner.example.com/', '10.1.2.3'],
    ['10.0.0.0/8', 'http://inner.example.com/', '10.1.2.3'],
    ['10.0.0.0/8', 'http://hooks.example.com/', 'https_required'],
    ['10.0.0.0/8', 'http://mixed.example.com/', 'https_required'],
    ['10.0.0.0/8', 'https://11.0.0.1/', '11.0.0.1'],
    ['10.0.0.0/8', 'https://192.168.0.1/', 'address_not_public'],
    ['.internal', 'http://receiver.internal/', '10.1.2.3'],
    ['*.internal', 'http://receiver.internal:9000/', '10.1.2.3'],
    ['receiver.internal', 'http://receiver.internal/', '10.1.2.3'],
    ['receiver.internal', 'https://other.internal/', 'address_not_public'],
    ['.internal', 'http://receiver.internal.example.com/', 'https_required'],
    ['hooks.example.com', 'http://hooks.example.com:25/', NAMES['hooks.example.com'].join(',')],
    ['receiver.internal', 'https://user@receiver.internal/', 'user_info_not_allowed'],
  ])('with %s allowed answers %s with %s', async (entry, url, expected) => {
    expect(await reasonFor(url, guard({ allowed: [entry] }))).toBe(expected);
  });

  it.each([
    ['inner.example.com', '10.1.2.3'],
    ['mixed.example.com', 'host_not_allowed'],
    ['hooks.example.com', 'host_not_allowed'],
  ])('with only 10.0.0.0/8 allowed answers https://%s/ with %s', async (host, expected) => {
    const inner = guard({ allowed: ['10.0.0.0/8'], isAllowedOnly: true });
    expect(await reasonFor(`https://${host}/`, inner)).toBe(expected);
  });
});

describe('hosts that an administrator added', () => {
  const names = new FixedNames({ 'inner.example.com': ['10.1.2.3'], 'metadata.example.com': ['169.254.169.254'] });
  const reasonWith = (url: string, vouched: string[]): Promise<string> => {
    const allowed = ['.example.com', '169.254.0.0/16', 'metadata.google.internal', '10.0.0.0/8'];
    const policy = { isHttpsRequired: true, allowedHosts: new AllowedHosts([...allowed, ...vouched]) };
    return reasonFor(url, new TargetGuard({ ...policy, vouchedHosts: new AllowedHosts(vouched) }, names));
  };

  it.each(['http://metadata.example.com/', 'http://169.254.169.254/', 'http://metadata.google.internal/'])(
    'do not open %s, unless the operator allows it too',
    async (url) => {
      expect(await reasonWith(url, [])).toBe('address_not_public');
      expect(await reasonWith(url, [new URL(url).hostname])).not.toBe('address_not_public');
    },
  );

  it('open internal hosts', async () => {
    expect(await reasonWith('http://inner.example.com/', [])).toBe('10.1.2.3');
  });
});
