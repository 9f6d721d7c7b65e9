//! A server of Qdrant's protocol on this machine, that keeps what it was sent and can be
//! told to fail.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prost::Message as _;
use prost::bytes::{Buf as _, BufMut as _};
use qdrant_client::qdrant::{PointsOperationResponse, UpdateResult, UpdateStatus};
use tokio::net::TcpSocket;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::{BoxFuture, Context, Poll, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use super::engine::Engine;

/// What a request is answered instead.
#[derive(Clone)]
pub(crate) enum Fault {
    /// An error.
    Say(Status),
    /// That the change is accepted, and not made yet.
    NotYet,
    /// Nothing, ever.
    Hang,
}

/// A request that came in.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

struct State {
    engine: Mutex<Engine>,
    key: Option<&'static str>,
    asked: Mutex<Vec<Asked>>,
    faults: Mutex<VecDeque<(&'static str, Fault)>>,
    /// Requests under way: now, and the most so far.
    under_way: (AtomicUsize, AtomicUsize),
}

/// It stops when it is dropped.
pub(crate) struct Double {
    address: SocketAddr,
    /// Never listens: keeps the port for us while we are away.
    _reserved: TcpSocket,
    state: Arc<State>,
    /// Its own, so that stopping it cuts every connection.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Double {
    pub(crate) fn start() -> Self {
        Self::with_key(None)
    }

    pub(crate) fn with_key(key: Option<&'static str>) -> Self {
        let reserved = socket("127.0.0.1:0".parse().expect("an address"));
        let mut double = Self {
            address: reserved.local_addr().expect("its address"),
            _reserved: reserved,
            state: Arc::new(State {
                engine: Mutex::new(Engine::new()),
                key,
                asked: Mutex::default(),
                faults: Mutex::default(),
                under_way: Default::default(),
            }),
            runtime: None,
        };
        double.resume();
        double
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts every connection, and refuses others; what it keeps stays.
    pub(crate) fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            let stopping = std::thread::spawn(|| runtime.shutdown_timeout(Duration::from_secs(60)));
            stopping.join().expect("no panic");
        }
    }

    pub(crate) fn resume(&mut self) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = {
            let _inside = runtime.enter();
            socket(self.address).listen(64).expect("listens")
        };
        let services = tonic::transport::Server::builder()
            .add_service(Services::<0>(Arc::clone(&self.state)))
            .add_service(Services::<1>(Arc::clone(&self.state)))
            .add_service(Services::<2>(Arc::clone(&self.state)));
        runtime.spawn(services.serve_with_incoming(TcpIncoming::from(listener)));
        self.runtime = Some(runtime);
    }

    /// The next requests whose path ends so fail so, in this order.
    pub(crate) fn fail(&self, times: usize, method: &'static str, fault: Fault) {
        let mut faults = self.state.faults.lock().expect("no panic");
        faults.extend(std::iter::repeat_n((method, fault), times));
    }

    /// Takes what was asked since, of one method.
    pub(crate) fn asked(&self, method: &str) -> Vec<Asked> {
        let mut asked = self.state.asked.lock().expect("no panic");
        let all = std::mem::take(&mut *asked);
        all.into_iter()
            .filter(|one| one.path.ends_with(method))
            .collect()
    }

    /// Waits until a request is under way.
    pub(crate) async fn is_asked(&self) {
        while self.state.under_way.0.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }

    pub(crate) fn most_under_way(&self) -> usize {
        self.state.under_way.1.load(Ordering::SeqCst)
    }

    pub(crate) fn engine<T>(&self, look: impl FnOnce(&mut Engine) -> T) -> T {
        look(&mut self.state.engine.lock().expect("no panic"))
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Several may have one address; only one that listens is connected to.
fn socket(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("an option");
    socket.set_reuseport(true).expect("an option");
    socket.bind(address).expect("the address is ours");
    socket
}

/// One service for each name in the protocol.
#[derive(Clone)]
struct Services<const N: usize>(Arc<State>);

impl NamedService for Services<0> {
    const NAME: &'static str = "qdrant.Qdrant";
}
impl NamedService for Services<1> {
    const NAME: &'static str = "qdrant.Collections";
}
impl NamedService for Services<2> {
    const NAME: &'static str = "qdrant.Points";
}

type Body = tonic::body::Body;

impl<const N: usize> Service<http::Request<Body>> for Services<N> {
    type Response = http::Response<Body>;
    type Error = std::convert::Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let method = Method {
            path: request.uri().path().to_owned(),
            state: Arc::clone(&self.0),
        };
        Box::pin(async move {
            let mut grpc = Grpc::new(Plain).max_decoding_message_size(usize::MAX);
            Ok(grpc.unary(method, request).await)
        })
    }
}

struct Method {
    path: String,
    state: Arc<State>,
}

impl UnaryService<Vec<u8>> for Method {
    type Response = Vec<u8>;
    type Future = BoxFuture<Response<Vec<u8>>, Status>;

    fn call(&mut self, request: Request<Vec<u8>>) -> Self::Future {
        let (path, state) = (self.path.clone(), Arc::clone(&self.state));
        let under_way = UnderWay::begin(Arc::clone(&state));
        Box::pin(async move {
            let _under_way = under_way;
            // Others that come now are under way, too.
            tokio::task::yield_now().await;
            state.answer(&path, request).await.map(Response::new)
        })
    }
}

impl State {
    async fn answer(&self, path: &str, request: Request<Vec<u8>>) -> Result<Vec<u8>, Status> {
        let said = request.metadata().get("api-key").map(|key| key.as_bytes());
        if said != self.key.map(str::as_bytes) {
            return Err(Status::unauthenticated("Invalid API key or JWT"));
        }
        let bytes = request.into_inner();
        self.asked.lock().expect("no panic").push(Asked {
            path: path.to_owned(),
            bytes: bytes.clone(),
        });
        match self.fault(path) {
            None => self.engine.lock().expect("no panic").answer(path, &bytes),
            Some(Fault::Say(status)) => Err(status),
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::NotYet) => {
                let mut result = UpdateResult::default();
                result.set_status(UpdateStatus::WaitTimeout);
                let answer = PointsOperationResponse {
                    result: Some(result),
                    ..Default::default()
                };
                Ok(answer.encode_to_vec())
            }
        }
    }

    fn fault(&self, path: &str) -> Option<Fault> {
        let mut faults = self.faults.lock().expect("no panic");
        let at = faults
            .iter()
            .position(|(method, _)| path.ends_with(method))?;
        faults.remove(at).map(|(_, fault)| fault)
    }
}

/// Counts a request as long as it is answered.
struct UnderWay(Arc<State>);

impl UnderWay {
    fn begin(state: Arc<State>) -> Self {
        let (now, most) = &state.under_way;
        let now = now.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Messages as their bytes.
struct Plain;

impl Codec for Plain {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Plain {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut message = vec![0; from.remaining()];
        from.copy_to_slice(&mut message);
        Ok(Some(message))
    }
}
