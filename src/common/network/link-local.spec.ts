import { isLinkLocalAddress, isMetadataName } from './link-local';

describe('a link-local address', () => {
  it.each([
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    'fe80::1',
    'febf:ffff::1',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '::ffff:0:169.254.1.1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:5601:5601',
    'fd00:ec2:0:0::254',
    '::ffff:168.63.129.16',
    '100.100.100.200',
  ])('is %s', (address) => expect(isLinkLocalAddress(address)).toBe(true));

  it.each([
    '127.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '10.0.0.1',
    '::1',
    'fec0::1',
    'fe7f::1',
    'fd00:ec2::253',
    '::ffff:10.0.0.1',
    '2002:7f00:1::a9fe:a9fe',
    '2606:2800:220:1:a9fe:a9fe:a9fe:a9fe',
  ])('is not %s', (address) => expect(isLinkLocalAddress(address)).toBe(false));

  it('includes the metadata host names of clouds', () => {
    expect(['metadata', 'metadata.google.internal', 'metadata.example.com'].map(isMetadataName)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
