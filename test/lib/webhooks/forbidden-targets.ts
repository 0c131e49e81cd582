import { words } from '#test/support/words.ts';

/** Hosts that lead, or may lead, to something that is not public. */
const hosts = {
  /** In the notations that URL parsers take. */
  loopback: `
    127.0.0.1 127.0.0.1:8443 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7f.0.0.1 0x7F.1 017700000001
    0177.0.0.1 00000177.0.0.0x1 127.0.0.1. %31%32%37.0.0.1 １２７.０.０.１ 127。0。0。1 ①②⑦.0.0.1 0 0.0.0.0 0.1.2.3 [::1]
    [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001]:8443 [::]`,
  privateOrShared: `
    10.0.0.1 10.255.255.255 167772161 0xa000001 012.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.257
    169.254.169.254/latest/meta-data 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.170.2/v2/credentials 100.64.0.1
    100.100.100.200 168.63.129.16 [fd00:ec2::254] [fe80::1] [febf::1] [fec0::1] [fc00::1] [fdff:ffff::1]`,
  reserved: `
    192.0.0.1 192.0.0.170 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1 198.18.0.1 198.19.255.255 224.0.0.1
    239.255.255.250 240.0.0.1 255.255.255.255 4294967295 [ff02::1] [2001:db8::1] [3fff::1] [2001:2::1] [2001:10::1]
    [100::1] [4000::1] [5f00::1]`,
  ipv4InIpv6: `
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:8.8.8.8] [::127.0.0.1]
    [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::a00:1] [2002:7f00:1::]
    [2002:a9fe:a9fe::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001::7f00:1]`,
  /** And credentials, and no port. */
  names: `
    localhost LOCALHOST localhost. localhost:8443 api.localhost printer.local metadata.google.internal db.internal.
    router.home.arpa intranet com. user:password@example.com user@example.com example.com:0`,
};

const others = ['https:\\\\127.0.0.1\\', 'data:text/plain,x', 'https://', 'not a url', ''];

/** URLs that must never be requested. */
export const forbiddenTargets: readonly string[] = [
  ...Object.values(hosts).flatMap(text => words(text).map(host => `https://${host}/`)),
  ...words('http://example.com/ http://93.184.215.14/ ftp://example.com/ file:///etc/passwd gopher://example.com/'),
  ...others,
];
