//! A schema registry of this process, over a real socket, that does what a test asks of it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// What is done about a request in place of an answer.
#[derive(Clone)]
pub enum RegistryFault {
    /// This status and body.
    Says(u16, String),
    /// The connection is closed.
    Closes,
    /// Nothing comes.
    Hangs,
}

#[derive(Default)]
struct State {
    /// Bodies of `GET /schemas/ids/N`, from id 1 on.
    schemas: Vec<Value>,
    subjects: HashMap<String, Vec<usize>>,
    fault: Option<RegistryFault>,
    asked: Vec<String>,
    authorization: Option<String>,
    /// Nobody listens.
    away: bool,
}

/// The registry; its thread ends with the process.
pub struct RegistryDouble {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    /// Listens, unless it is away.
    thread: Option<JoinHandle<()>>,
}

impl RegistryDouble {
    /// Starts one that knows no schema.
    ///
    /// # Panics
    /// When there is no port, as everything here does for what a test cannot go on without.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State::default()));
        let thread = Some(listen(listener, Arc::clone(&state)));
        Self {
            address,
            state,
            thread,
        }
    }

    /// Goes away: connections are refused. What it knows stays.
    ///
    /// # Panics
    /// As [`RegistryDouble::start`].
    pub fn kill(&mut self) {
        self.with(|state| state.away = true);
        // It checks that when a client connects; the port is free when it ended.
        drop(TcpStream::connect(self.address).expect("it listens"));
        let thread = self.thread.take().expect("it listens");
        thread.join().expect("it ends");
    }

    /// Comes back where it was, with the ids that it gave before.
    ///
    /// # Panics
    /// As [`RegistryDouble::start`].
    pub fn start_again(&mut self) {
        let listener = TcpListener::bind(self.address).expect("its port");
        self.with(|state| state.away = false);
        self.thread = Some(listen(listener, Arc::clone(&self.state)));
    }

    /// How many schemas it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.with(|state| state.schemas.len())
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Puts a body behind the next id, as if another client had registered it.
    pub fn holds(&self, body: Value) -> u32 {
        self.with(|state| {
            state.schemas.push(body);
            state.schemas.len() as u32
        })
    }

    /// Puts the schema text behind the next id.
    pub fn holds_schema(&self, text: &str) -> u32 {
        self.holds(json!({ "schema": text }))
    }

    /// From now on every request ends so.
    pub fn fails(&self, fault: RegistryFault) {
        self.with(|state| state.fault = Some(fault));
    }

    /// From now on requests are answered again.
    pub fn works(&self) {
        self.with(|state| state.fault = None);
    }

    /// What was asked since the last time, by method and path.
    pub fn asked(&self) -> Vec<String> {
        self.with(|state| std::mem::take(&mut state.asked))
    }

    /// The header of the last request.
    #[must_use]
    pub fn authorization(&self) -> Option<String> {
        self.with(|state| state.authorization.clone())
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn listen(listener: TcpListener, state: Arc<Mutex<State>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if state.lock().unwrap_or_else(PoisonError::into_inner).away {
                return;
            }
            let state = Arc::clone(&state);
            std::thread::spawn(move || serve(&stream, &state));
        }
    })
}

fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a request");
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).expect("a header");
        let Some((name, value)) = header.trim().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().expect("a length"),
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default();
    // Clients ask for more than is given here, after a question mark.
    let Some(path) = words.next() else {
        // Whoever came went without a word.
        return;
    };
    let path = path.split('?').next().unwrap_or_default();
    let (status, said) = {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked.push(format!("{method} {path}"));
        state.authorization = authorization;
        match state.fault.clone() {
            None => answer(&mut state, method, path, &body),
            Some(RegistryFault::Says(status, body)) => (status, body),
            Some(RegistryFault::Closes) => {
                let _closed = stream.shutdown(Shutdown::Both);
                return;
            }
            Some(RegistryFault::Hangs) => {
                drop(state);
                // Until the other side gives up.
                let _rest = reader.read_to_end(&mut Vec::new());
                return;
            }
        }
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        said.len()
    );
    let mut stream = stream;
    let _sent = stream.write_all((head + &said).as_bytes());
}

fn answer(state: &mut State, method: &str, path: &str, body: &[u8]) -> (u16, String) {
    let error = |code: u32, words: &str| {
        let status = if code > 999 { code / 100 } else { code };
        let body = json!({ "error_code": code, "message": words });
        (status as u16, body.to_string())
    };
    let steps: Vec<_> = path.trim_start_matches('/').split('/').collect();
    match (method, &steps[..]) {
        ("GET", ["schemas", "ids", id]) => {
            let id: usize = id.parse().expect("an id");
            match state.schemas.get(id.wrapping_sub(1)) {
                Some(body) => (200, body.to_string()),
                None => error(40403, "Schema not found"),
            }
        }
        ("POST", ["subjects", subject, rest @ ..]) => {
            let body: Value = serde_json::from_slice(body).expect("JSON");
            let schema = json!({ "schema": body["schema"] });
            let have = state.schemas.iter().position(|one| *one == schema);
            let versions = state.subjects.entry((*subject).to_owned()).or_default();
            let own = have.filter(|index| versions.contains(index));
            let index = match (own, rest) {
                (Some(index), _) => index,
                (None, ["versions"]) => {
                    let index = have.unwrap_or(state.schemas.len());
                    versions.push(index);
                    if have.is_none() {
                        state.schemas.push(schema);
                    }
                    index
                }
                (None, _) if versions.is_empty() => return error(40401, "Subject not found"),
                (None, _) => return error(40403, "Schema not found"),
            };
            (200, json!({ "id": index + 1 }).to_string())
        }
        _ => error(404, "Not found"),
    }
}
