//! A server that speaks OpenAI's chat protocol and answers what a test tells it
//! to, good or bad. Over a real socket, on threads of its own.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// Tokens that it says it was sent with each call.
pub const PROMPT_TOKENS: u64 = 100;
/// Tokens that it says it answered with.
pub const ANSWER_TOKENS: u64 = 20;

/// What was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The first line of the request.
    pub line: String,
    /// The header `authorization`.
    pub authorization: Option<String>,
    /// The body.
    pub body: Value,
}

impl Asked {
    /// The name of the schema that the answer must have.
    #[must_use]
    pub fn format(&self) -> &str {
        let name = &self.body["response_format"]["json_schema"]["name"];
        name.as_str().unwrap_or_default()
    }

    /// The texts of all messages, of the first or of the last: by place.
    #[must_use]
    pub fn messages(&self) -> Vec<&str> {
        let messages = self.body["messages"].as_array();
        let texts = messages.into_iter().flatten();
        texts.filter_map(|m| m["content"].as_str()).collect()
    }

    /// Whether it is about an answer that could not be used.
    #[must_use]
    pub fn is_repair(&self) -> bool {
        self.messages().len() > 2
    }
}

/// What the double does about a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// The model says this.
    Says(String),
    /// Another status, without a body.
    Status(u16),
    /// Status 200 with these bytes in place of a completion.
    Body(Vec<u8>),
    /// An answer as it goes over the wire, after which the connection is closed.
    Raw(String),
    /// Nothing comes until the caller gives up.
    Hangs,
    /// The connection is closed without an answer.
    Closes,
}

impl Reply {
    /// The model says this JSON.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        Self::Says(value.to_string())
    }
}

type Answer = dyn FnMut(&Asked) -> Reply + Send;

struct Shared {
    answer: Mutex<Box<Answer>>,
    asked: Mutex<Vec<Asked>>,
    stop: AtomicBool,
}

/// The server; ends when dropped.
pub struct ModelDouble {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl ModelDouble {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub fn start(answer: impl FnMut(&Asked) -> Reply + Send + 'static) -> io::Result<Self> {
        Self::start_at((Ipv4Addr::LOCALHOST, 0).into(), answer)
    }

    /// Starts at an address.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn start_at(
        address: SocketAddr,
        answer: impl FnMut(&Asked) -> Reply + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let shared = Arc::new(Shared {
            answer: Mutex::new(Box::new(answer)),
            asked: Mutex::new(Vec::new()),
            stop: AtomicBool::new(false),
        });
        let address = listener.local_addr()?;
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if server.stop.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), server) = (stream, Arc::clone(&server)) else {
                    continue;
                };
                // A caller that went away is no failure of the double.
                std::thread::spawn(move || drop(serve(&server, stream)));
            }
        });
        Ok(Self { address, shared })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// For the setting of that name.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Everything it was asked, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        let asked = self.shared.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ModelDouble {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is to stop.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers requests until the connection ends.
fn serve(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    while let Some(asked) = request(&mut reader)? {
        let reply = {
            let mut answer = shared.answer.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = answer(&asked);
            let mut all = shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(asked);
            reply
        };
        let (status, body) = match reply {
            Reply::Says(text) => {
                let message = json!({"role": "assistant", "content": text});
                let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
                let usage =
                    json!({"prompt_tokens": PROMPT_TOKENS, "completion_tokens": ANSWER_TOKENS});
                let body =
                    json!({"object": "chat.completion", "choices": [choice], "usage": usage});
                (200, body.to_string().into_bytes())
            }
            Reply::Status(status) => (status, Vec::new()),
            Reply::Body(body) => (200, body),
            Reply::Hangs => {
                // Returns when the caller closes.
                let mut rest = Vec::new();
                reader.read_to_end(&mut rest)?;
                return Ok(());
            }
            Reply::Raw(answer) => {
                stream.write_all(answer.as_bytes())?;
                return stream.shutdown(Shutdown::Both);
            }
            Reply::Closes => return stream.shutdown(Shutdown::Both),
        };
        let head = format!(
            "HTTP/1.1 {status} told\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&body)?;
    }
    Ok(())
}

/// The next request; `None` at the end of the connection.
fn request(reader: &mut impl BufRead) -> io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let (mut authorization, mut length) = (None, 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.trim().to_owned()),
            "content-length" => length = value.trim().parse().unwrap_or(0),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Asked {
        line: line.trim().to_owned(),
        authorization,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }))
}
