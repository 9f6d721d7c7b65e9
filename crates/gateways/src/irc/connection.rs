//! A connection with a server: bounded lines in, lines out no faster than servers allow.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use threadlore_model::Timestamp;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadHalf, WriteHalf,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::config::{IrcConfig, IrcError};
use super::line::{Command, Line};

/// Bytes of a line that is kept: tags may have 8,191, the rest 512.
const LONGEST_LINE: usize = 8_704;
/// What servers count for a line, and how far ahead of the time the count may be (RFC 1459, 8.10).
const PENALTY: Duration = Duration::from_secs(2);
const AHEAD: Duration = Duration::from_secs(8);

/// TCP, or TLS over it.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to a server.
pub(super) async fn connect(
    config: &IrcConfig,
    tls: Option<&TlsConnector>,
) -> io::Result<(Lines, Writer)> {
    let tcp = TcpStream::connect((config.host.as_str(), config.port)).await?;
    tcp.set_nodelay(true)?;
    let stream: Box<dyn Stream> = match tls {
        None => Box::new(tcp),
        Some(tls) => {
            let name = ServerName::try_from(config.host.clone()).map_err(io::Error::other)?;
            Box::new(tls.connect(name, tcp).await?)
        }
    };
    let (read, write) = tokio::io::split(stream);
    let lines = Lines {
        inner: BufReader::new(read),
        line: Vec::new(),
        is_too_long: false,
    };
    let writer = Writer {
        inner: write,
        waiting: VecDeque::new(),
        counted: Timestamp::EARLIEST,
    };
    Ok((lines, writer))
}

/// What an encrypted connection trusts: the authorities of the machine, and those of a file.
pub(super) fn tls(authorities: Option<&Path>) -> Result<TlsConnector, IrcError> {
    let mut roots = RootCertStore::empty();
    let (_, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = authorities {
        let refused = |error: &dyn std::fmt::Display| {
            let reason = format!("names {}, which cannot be used: {error}", file.display());
            IrcError::new("ca_file", reason)
        };
        let certificates = CertificateDer::pem_file_iter(file).map_err(|e| refused(&e))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|e| refused(&e))?;
            roots.add(certificate).map_err(|e| refused(&e))?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| IrcError::new("tls", format!("cannot be used: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Lines of the server.
pub(super) struct Lines {
    inner: BufReader<ReadHalf<Box<dyn Stream>>>,
    line: Vec<u8>,
    /// Whether the line that is read is longer than any may be: its rest is passed over.
    is_too_long: bool,
}

impl Lines {
    /// The next line that can be read; `None` at the end. It may be dropped at any time, and goes on
    /// where it was.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.inner.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if self.line.len() + taken > LONGEST_LINE {
                self.is_too_long = true;
                self.line.clear();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.inner.consume(taken);
            if end.is_none() {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.is_too_long) {
                tracing::warn!(
                    "a line of the IRC server is longer than any may be: it is passed over"
                );
                continue;
            }
            if let Some(line) = Line::parse(&String::from_utf8_lossy(&line)) {
                return Ok(Some(line));
            }
        }
    }
}

/// Lines to the server.
pub(super) struct Writer {
    inner: WriteHalf<Box<dyn Stream>>,
    waiting: VecDeque<Command>,
    /// What the server has counted for the lines so far.
    counted: Timestamp,
}

impl Writer {
    /// Sends at once: what begins a connection, or keeps it.
    pub(super) async fn send(&mut self, command: &Command) -> io::Result<()> {
        self.inner.write_all(&command.bytes()).await?;
        self.inner.flush().await
    }

    /// Sends when the server allows it: see [`Writer::pause`].
    pub(super) fn push(&mut self, command: Command) {
        self.waiting.push_back(command);
    }

    /// Whether nothing waits.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How long the next line has to wait; `None` where none waits.
    pub(super) fn pause(&self, now: Timestamp) -> Option<Duration> {
        self.waiting.front()?;
        Some(self.counted.since(now.plus(AHEAD)))
    }

    /// Sends the next line that waits.
    pub(super) async fn send_next(&mut self, now: Timestamp) -> io::Result<()> {
        let Some(command) = self.waiting.pop_front() else {
            return Ok(());
        };
        self.counted = self.counted.max(now).plus(PENALTY);
        self.send(&command).await
    }
}
