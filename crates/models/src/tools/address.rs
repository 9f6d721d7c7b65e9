//! Which addresses are outside, and a resolver that gives no others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// A name has private addresses alone.
#[derive(Debug, thiserror::Error)]
#[error("it has a private address")]
pub(super) struct Private;

/// Resolves names to addresses that are outside.
pub(super) struct Outside;

impl Resolve for Outside {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let all: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<_> = all
                .iter()
                .copied()
                .filter(|at| is_public(at.ip()))
                .collect();
            match public.is_empty() && !all.is_empty() {
                true => Err(Private.into()),
                false => Ok(Box::new(public.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether an address is one of the open internet, by the registries of addresses for special purposes
/// (RFC 6890 and its successors).
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match a {
        0 | 10 | 127 | 224.. => true,
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => b == 168 || (b == 0 && matches!(c, 0 | 2)) || (b == 88 && c == 99),
        198 => matches!(b, 18 | 19) || (b == 51 && c == 100),
        203 => b == 0 && c == 113,
        _ => false,
    };
    !is_special
}

/// Of the one range that is given out, without what carries an IPv4 address in it or is for documents.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(address) = address.to_ipv4_mapped() {
        return is_public_v4(address);
    }
    let [a, b, c, d, ..] = address.segments();
    match (a, b) {
        // 6to4.
        (0x2002, _) => is_public_v4(Ipv4Addr::from((u32::from(b) << 16) | u32::from(c))),
        // NAT64.
        (0x64, 0xff9b) if (c, d) == (0, 0) => {
            let [.., high, low] = address.segments();
            is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        // Teredo, benchmarks, documents and other uses of the protocols.
        (0x2001, b) if b < 0x200 || b == 0xdb8 => false,
        (0x3fff, b) if b < 0x1000 => false,
        _ => (0x2000..0x4000).contains(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_open_internet_are_public() {
        for address in [
            "127.0.0.1",
            "127.255.0.9",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.7",
            "240.0.0.1",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "100::1",
            "3fff::1",
        ] {
            let address: IpAddr = address.parse().expect("an address");
            assert!(!is_public(address), "{address}");
        }
        for address in [
            "1.1.1.1",
            "100.63.0.1",
            "172.32.0.1",
            "192.1.0.1",
            "9.9.9.9",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::",
        ] {
            let address: IpAddr = address.parse().expect("an address");
            assert!(is_public(address), "{address}");
        }
    }
}
