//! Which addresses a webhook may reach.
//!
//! A webhook's URL may come from a repository that the user has not read, and the machine it runs on answers at addresses
//! that strangers cannot reach: the metadata service of a cloud gives credentials to every caller. Those
//! addresses are refused, in every notation that leads to them. Loopback and private networks are let through, since
//! a webhook usually is a program on the same machine or in the same company.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// The rules for addresses.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    allowed: Vec<IpNet>,
    refuse_private: bool,
}

impl Guard {
    /// Reads the networks that are let through in spite of the rules; the error says which one is none.
    pub(super) fn new(allowed: &[String], allow_private: bool) -> Result<Self, String> {
        let read = |text: &String| {
            let text = text.trim();
            text.parse::<IpNet>()
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| format!("`{text}` is no address or network; write `169.254.169.254` or `169.254.0.0/16`"))
        };
        Ok(Self { allowed: allowed.iter().map(read).collect::<Result<_, _>>()?, refuse_private: !allow_private })
    }

    /// Why an address may not be reached, if so.
    pub(super) fn refuses(&self, address: IpAddr) -> Option<&'static str> {
        if self.allows(address) {
            return None;
        }
        let inner = match address {
            IpAddr::V4(_) => Vec::new(),
            IpAddr::V6(v6) => embedded(v6),
        };
        std::iter::once(address)
            .chain(inner.into_iter().map(IpAddr::V4))
            .find_map(|form| self.kind(form).filter(|_| !self.allows(form)))
    }

    fn allows(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|network| network.contains(&address))
    }

    fn kind(&self, address: IpAddr) -> Option<&'static str> {
        let dangerous = match address {
            IpAddr::V4(v4) => dangerous_v4(v4),
            IpAddr::V6(v6) => dangerous_v6(v6),
        };
        dangerous.or_else(|| (self.refuse_private && is_private(address)).then_some("a private address"))
    }
}

/// Addresses of metadata services outside the link-local networks: Alibaba, Oracle, Azure.
const METADATA_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192), Ipv4Addr::new(168, 63, 129, 16)];

/// The same in IPv6: Amazon, Google.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

fn dangerous_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [first, ..] = address.octets();
    if METADATA_V4.contains(&address) {
        Some("the address of a cloud's metadata service")
    } else if address.is_link_local() {
        Some("a link-local address, where clouds serve their metadata")
    } else if first == 0 {
        Some("an unspecified address")
    } else if address.is_multicast() {
        Some("a multicast address")
    } else if first >= 240 {
        Some("a broadcast or reserved address")
    } else {
        None
    }
}

fn dangerous_v6(address: Ipv6Addr) -> Option<&'static str> {
    if METADATA_V6.contains(&address) {
        Some("the address of a cloud's metadata service")
    } else if address.is_unicast_link_local() {
        Some("a link-local address")
    } else if address.is_unspecified() {
        Some("an unspecified address")
    } else if address.is_multicast() {
        Some("a multicast address")
    } else {
        None
    }
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            // Shared by providers, for protocols, for benchmarks: none of them is anywhere on the internet.
            let shared = matches!(v4.octets(), [100, 64..128, ..] | [192, 0, 0, _] | [198, 18 | 19, ..]);
            v4.is_loopback() || v4.is_private() || shared
        }
        IpAddr::V6(v6) => {
            let [first, ..] = v6.segments();
            v6.is_loopback() || v6.is_unique_local() || (first & 0xffc0) == 0xfec0
        }
    }
}

/// The IPv4 addresses that a network may deliver to in place of an IPv6 address.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bits = address.to_bits();
    let at = |shift: u32| Ipv4Addr::from_bits(u32::try_from((bits >> shift) & 0xffff_ffff).unwrap_or_default());
    let last = at(0);
    let segments = address.segments();
    let mut found = match segments {
        // Mapped and translated addresses, and those of the well-known NAT64 prefix.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0, ..] => vec![last],
        // Compatible addresses. `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 || low > 1 => vec![last],
        // The local NAT64 prefix may embed at two places.
        [0x64, 0xff9b, 1, third, fourth, fifth, ..] => {
            let [a, b] = third.to_be_bytes();
            let [_, c] = fourth.to_be_bytes();
            let [d, _] = fifth.to_be_bytes();
            vec![last, Ipv4Addr::new(a, b, c, d)]
        }
        // 6to4 names a router, Teredo a server and a client, whose address it inverts.
        [0x2002, ..] => vec![at(80)],
        [0x2001, 0, ..] => vec![at(64), Ipv4Addr::from_bits(!last.to_bits())],
        _ => Vec::new(),
    };
    // ISATAP, which any prefix may carry.
    if let [_, _, _, _, 0 | 0x200, 0x5efe, ..] = segments {
        found.push(last);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(guard: &Guard, address: &str) -> bool {
        guard.refuses(address.parse().unwrap()).is_some()
    }

    #[test]
    fn dangerous_addresses_are_refused_in_every_notation() {
        let guard = Guard::new(&[], true).unwrap();
        for address in [
            "169.254.169.254",
            "169.254.0.1",
            "169.254.170.2",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "239.255.255.250",
            "255.255.255.255",
            "240.0.0.1",
            "::",
            "fe80::1",
            "febf::1",
            "ff02::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "::ffff:0.0.0.0",
            "::169.254.169.254",
            "::ffff:0:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::169.254.169.254",
            "64:ff9b:1:a9fe:a9:fe00::",
            "2002:a9fe:a9fe::1",
            "2001:0:a9fe:a9fe::1",
            "2001:0:102:304::5601:5601",
            "fe80::5efe:a9fe:a9fe",
            "2001:db8::5efe:a9fe:a9fe",
            "2001:db8::200:5efe:a9fe:a9fe",
        ] {
            assert!(refused(&guard, address), "{address}");
        }
    }

    #[test]
    fn usual_addresses_are_let_through() {
        let guard = Guard::new(&[], true).unwrap();
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "100.100.100.201",
            "8.8.8.8",
            "192.0.0.191",
            "::1",
            "fd00:ec2::255",
            "fd12::1",
            "2606:4700::1111",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "fec0::1",
        ] {
            assert!(!refused(&guard, address), "{address}");
        }
    }

    #[test]
    fn private_networks_can_be_refused() {
        let guard = Guard::new(&["10.1.0.0/16".to_owned()], false).unwrap();
        for address in [
            "127.0.0.1",
            "10.0.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "::1",
            "fd12::1",
            "::ffff:127.0.0.1",
            "fec0::1",
            "192.0.0.8",
            "198.19.255.255",
        ] {
            assert!(refused(&guard, address), "{address}");
        }
        for address in
            ["8.8.8.8", "100.128.0.1", "192.0.1.1", "198.20.0.1", "10.1.2.3", "::ffff:10.1.2.3", "2606:4700::1111"]
        {
            assert!(!refused(&guard, address), "{address}");
        }
    }

    #[test]
    fn what_is_allowed_is_let_through_and_nothing_beside_it() {
        let guard = Guard::new(&["169.254.170.2".to_owned(), " fe80::/10 ".to_owned()], true).unwrap();
        assert!(!refused(&guard, "169.254.170.2") && !refused(&guard, "::ffff:169.254.170.2"));
        assert!(!refused(&guard, "fe80::7"));
        assert!(refused(&guard, "169.254.169.254"));
        assert!(Guard::new(&["metadata".to_owned()], true).unwrap_err().contains("`metadata`"));
    }
}
