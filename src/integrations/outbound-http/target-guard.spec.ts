import { AllowedHosts } from '../../common/network/allowed-hosts';
import { NameResolver } from '../../common/network/name-resolver';
import { ForbiddenTargetError } from './target-guard';
import { TargetGuard } from './target-guard';

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

const NAMES = {
  'hooks.example.com': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'mixed.example.com': ['93.184.216.34', '10.0.0.5'],
  'rebound.example.com': ['127.0.0.1'],
  'mapped.example.com': ['::ffff:169.254.169.254'],
  'inner.example.com': ['10.1.2.3'],
  'receiver.internal': ['10.1.2.3'],
};

function guard({ allowed = [] as string[], isHttpsRequired = true } = {}): TargetGuard {
  return new TargetGuard({ isHttpsRequired, allowedHosts: new AllowedHosts(allowed) }, new FixedNames(NAMES));
}

async function reasonFor(url: string, targetGuard = guard()): Promise<string> {
  try {
    return (await targetGuard.addressesOf(new URL(url))).join(',');
  } catch (error) {
    return error instanceof ForbiddenTargetError ? error.reason : String(error);
  }
}

describe('TargetGuard', () => {
  it('gives all addresses of a public name', async () => {
    expect(await reasonFor('https://hooks.example.com/in?x=1')).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('https://hooks.example.com:8443/')).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('https://HOOKS.example.com./')).toBe(NAMES['hooks.example.com'].join(','));
    expect(await reasonFor('https://93.184.216.34/')).toBe('93.184.216.34');
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '0177.0.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:8.8.8.8]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[5f00::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
    'db',
    'metadata.google.internal',
    'printer.local',
    'router.lan',
    'server.home.arpa',
    '1.0.0.127.in-addr.arpa',
  ])('refuses https://%s/', async (host) => {
    expect(await reasonFor(`https://${host}/`)).toBe('address_not_public');
  });

  it.each([
    ['https://mixed.example.com/', 'address_not_public'],
    ['https://rebound.example.com/', 'address_not_public'],
    ['https://mapped.example.com/', 'address_not_public'],
    ['https://unknown.example.com/', 'unresolved'],
    ['http://hooks.example.com/', 'https_required'],
    ['http://93.184.216.34/', 'https_required'],
    ['https://user@hooks.example.com/', 'user_info_not_allowed'],
    ['https://user:password@hooks.example.com/', 'user_info_not_allowed'],
    ['https://hooks.example.com@127.0.0.1/', 'user_info_not_allowed'],
    ['https://hooks.example.com:25/', 'port_not_allowed'],
    ['https://93.184.216.34:22/', 'port_not_allowed'],
    ['ftp://hooks.example.com/', 'scheme_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
  ])('refuses %s: %s', async (url, reason) => {
    expect(await reasonFor(url)).toBe(reason);
  });

  it('takes plain http outside of production', async () => {
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
    ['10.0.0.0/8', 'https://11.0.0.1/', '11.0.0.1'],
    ['10.0.0.0/8', 'https://192.168.0.1/', 'address_not_public'],
    ['.internal', 'http://receiver.internal/', '10.1.2.3'],
    ['*.internal', 'http://receiver.internal:9000/', '10.1.2.3'],
    ['receiver.internal', 'http://receiver.internal/', '10.1.2.3'],
    ['receiver.internal', 'https://other.internal/', 'address_not_public'],
    ['hooks.example.com', 'http://hooks.example.com:25/', NAMES['hooks.example.com'].join(',')],
    ['receiver.internal', 'https://user@receiver.internal/', 'user_info_not_allowed'],
  ])('with %s opened answers %s with %s', async (entry, url, expected) => {
    expect(await reasonFor(url, guard({ allowed: [entry] }))).toBe(expected);
  });
});
