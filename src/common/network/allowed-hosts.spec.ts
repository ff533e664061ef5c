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
