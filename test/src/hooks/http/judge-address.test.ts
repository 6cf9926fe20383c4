import { expect, it } from "vitest";
import { isMappedPublic, isMetadataAddress, judgeAddress } from "#src/hooks/http/judge-address";

it.each([
  ["8.8.8.8", "public"],
  ["1.0.0.0", "public"],
  ["0.255.255.255", "this-network"],
  ["9.255.255.255", "public"],
  ["10.0.0.0", "private"],
  ["11.0.0.0", "public"],
  ["100.63.255.255", "public"],
  ["100.64.0.0", "cgnat"],
  ["100.100.100.200", "cgnat"],
  ["100.127.255.255", "cgnat"],
  ["100.128.0.0", "public"],
  ["126.255.255.255", "public"],
  ["127.255.255.255", "loopback"],
  ["128.0.0.0", "public"],
  ["169.253.255.255", "public"],
  ["169.254.0.1", "link-local"],
  ["169.254.169.254", "link-local-metadata"],
  ["169.254.170.2", "link-local-metadata"],
  ["169.254.170.23", "link-local-metadata"],
  ["169.255.0.0", "public"],
  ["172.15.255.255", "public"],
  ["172.16.0.0", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.0", "public"],
  ["192.0.0.255", "reserved"],
  ["192.0.1.0", "public"],
  ["192.0.2.9", "documentation"],
  ["192.88.99.1", "reserved"],
  ["192.167.255.255", "public"],
  ["192.168.255.255", "private"],
  ["192.169.0.0", "public"],
  ["198.17.255.255", "public"],
  ["198.18.0.0", "benchmark"],
  ["198.19.255.255", "benchmark"],
  ["198.20.0.0", "public"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.7", "documentation"],
  ["168.63.129.16", "azure-wireserver"],
  ["168.63.129.17", "public"],
  ["223.255.255.255", "public"],
  ["224.0.0.0", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.0", "reserved"],
  ["255.255.255.254", "reserved"],
  ["255.255.255.255", "broadcast"],
])("judges %s as %s", (address, expected) => {
  expect(judgeAddress(address)).toBe(expected);
});

it.each([
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["::2", "ipv4-compatible"],
  ["::127.0.0.1", "ipv4-compatible"],
  ["::ffff:8.8.8.8", "ipv4-mapped"],
  ["::FFFF:7f00:1", "ipv4-mapped"],
  ["::ffff:0:127.0.0.1", "reserved"],
  ["64:ff9b::808:808", "nat64"],
  ["64:ff9b:1::a00:1", "nat64-local"],
  ["64:ff9b:2::1", "reserved"],
  ["100::1", "reserved"],
  ["1fff:ffff::1", "reserved"],
  ["2001:0:7f00:1::1", "teredo"],
  ["2001:2::1", "benchmark"],
  ["2001:10::1", "reserved"],
  ["2001:20::1", "reserved"],
  ["2001:1ff::1", "reserved"],
  ["2001:200::1", "public"],
  ["2001:db8::1", "documentation"],
  ["2001:4860:4860::8888", "public"],
  ["2002:7f00:1::", "6to4"],
  ["2003::1", "public"],
  ["2606:4700:4700::1111", "public"],
  ["3fff:fff::1", "documentation"],
  ["3fff:1000::1", "public"],
  ["3fff:ffff::1", "public"],
  ["4000::1", "reserved"],
  ["5f00::1", "reserved"],
  ["fbff::1", "reserved"],
  ["fc00::1", "ula"],
  ["fd00:ec2::254", "ula-metadata"],
  ["fd00:ec2::255", "ula"],
  ["fe00::1", "reserved"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["2606:4700::5efe:10.0.0.1", "isatap"],
  ["2606:4700::200:5efe:7f00:1", "isatap"],
  ["2606:4700::200:5efe:808:808", "public"],
  ["2606:4700::100:5efe:7f00:1", "public"],
])("judges %s as %s", (address, expected) => {
  expect(judgeAddress(address)).toBe(expected);
});

it.each([
  "",
  "1.2.3",
  "01.2.3.4",
  "1.2.3.256",
  "1.2.3.4.5",
  "::1::",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "12345::",
  "g::",
  "::1.2.3",
  "1:2:3:4:5:6:7::8:9",
  "example.com",
])("takes %j for no address", (text) => {
  expect(judgeAddress(text)).toBeUndefined();
});

it.each([
  "169.254.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "fd00:ec2::254",
  "::ffff:169.254.169.254",
  "::169.254.169.254",
  "::ffff:0:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::a9fe:a9fe",
  "2002:a9fe:a9fe::1",
  "2001:0:1234:5678::5601:5601",
  "2606:4700::200:5efe:a9fe:a9fe",
])("knows %s as a way to credentials", (address) => {
  expect(isMetadataAddress(address)).toBe(true);
});

it.each(["10.0.0.1", "8.8.8.8", "fd00:ec2::1", "2002:808:808::1", "fe80::1", "no address"])(
  "does not take %s for a way to credentials",
  (address) => {
    expect(isMetadataAddress(address)).toBe(false);
  },
);

it("tells a mapped public address from a mapped private one", () => {
  expect(["::ffff:8.8.8.8", "::ffff:10.0.0.1", "8.8.8.8", "x"].map(isMappedPublic)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
