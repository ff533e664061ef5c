import { AllowedHosts } from './allowed-hosts';

describe('AllowedHosts', () => {
  it.each(['hooks', 'hooks:8080', '.internal', '*.internal', '10.0.0.7', '10.0.0.0/8', '[fd00::7]:80', 'fd00::/8'])(
    'reads %s',
    (entry) => expect(AllowedHosts.isEntry(entry)).toBe(true),
  );

  it.each(['', '*', 'https://hooks', 'hooks/', '[nonsense]:80', 'a b', 'hooks:port', 7])('refuses %s', (entry) =>
    expect(AllowedHosts.isEntry(entry)).toBe(false),
  );
});

describe('an entry that administrators may add at run time', () => {
  it.each([
    'mcp.internal:8080',
    '.internal',
    '*.corp',
    '*.tools.example.com',
    'tools.example.com',
    '10.0.0.7',
    '10.0.0.0/8',
    '[fd00::7]:8080',
  ])('may be %s', (entry) => expect(AllowedHosts.isInnerEntry(entry)).toBe(true));

  it.each([
    '*.com',
    '.dev',
    '0.0.0.0/0',
    '::/0',
    '169.254.169.254',
    '169.254.0.0/16',
    '[fe80::1]',
    'metadata.google.internal',
    '*',
  ])('is not %s', (entry) => expect(AllowedHosts.isInnerEntry(entry)).toBe(false));
});
