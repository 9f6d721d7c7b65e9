//! Ports that stay one test's own while its server is down.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A port of the loopback interface. The kernel gives it to nobody who asks for any port; a
/// server that asks for this one, and allows the reuse of addresses as Java does, gets it.
pub(crate) struct Port {
    number: u16,
    _bound: Socket,
}

impl Port {
    /// A free one.
    pub(crate) fn hold() -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        let bound = socket.local_addr()?.as_socket();
        let bound = bound.ok_or_else(|| io::Error::other("not an address of the internet"))?;
        Ok(Self {
            number: bound.port(),
            _bound: socket,
        })
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }
}
