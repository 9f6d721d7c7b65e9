//! Connections: not too many, and none that is silent for long.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most connections at a time. Callers keep them open between calls.
const MOST: usize = 1024;

/// A listener that accepts no more connections than it can hold.
pub(super) struct Bounded {
    tcp: TcpListener,
    places: Arc<Semaphore>,
    silence: Duration,
}

impl Bounded {
    /// A connection on which nothing comes for `silence` is closed.
    pub(super) fn new(tcp: TcpListener, silence: Duration) -> Self {
        Self {
            tcp,
            places: Arc::new(Semaphore::new(MOST)),
            silence,
        }
    }
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            // The semaphore is never closed.
            return pending().await;
        };
        let (stream, address) = Listener::accept(&mut self.tcp).await;
        let connection = Connection {
            stream,
            silence: self.silence,
            timer: None,
            _place: place,
        };
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

/// A connection that breaks off when nothing comes.
pub(super) struct Connection {
    stream: TcpStream,
    silence: Duration,
    /// Runs while nothing comes.
    timer: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    _place: OwnedSemaphorePermit,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer) {
            self.timer = None;
            return Poll::Ready(read);
        }
        let silence = self.silence;
        let timer = self.timer.get_or_insert_with(|| {
            Box::pin(async move {
                tokio::time::timeout(silence, pending::<()>()).await.ok();
            })
        });
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
