//! The owner's side: accepts connections, runs their commands, sends their output.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use threadlore_node::Host;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::LONGEST_PATH;
use super::wire::{Said, line, request};
use crate::cli::{Cli, Command};
use crate::commands::{Call, perform as run};
use crate::exit::{self, InUse};
use crate::output::Output;

/// Commands at one time.
const MOST: usize = 32;
/// Time for a client to send its request.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time before the next try when a connection cannot be accepted.
const PAUSE: Duration = Duration::from_millis(200);

/// The socket on which the owner of a data directory accepts commands. It is removed when this is
/// dropped, so it must not outlive the directory's lock.
pub(crate) struct Admin {
    listener: UnixListener,
    path: PathBuf,
    /// The user who owns the directory. Only this user and root may connect.
    user: u32,
}

impl Admin {
    /// Listens in a data directory that this process owns.
    ///
    /// # Errors
    /// When the path is too long for a socket, or the file system supports none.
    pub(crate) fn listen(data_dir: &Path) -> anyhow::Result<Self> {
        let path = super::socket(data_dir);
        let shown = path.display();
        let bytes = path.as_os_str().as_bytes().len();
        anyhow::ensure!(
            bytes <= LONGEST_PATH,
            "the path {shown} has {bytes} bytes, and a socket's has {LONGEST_PATH} at most: \
             choose a shorter --data-dir"
        );
        // A killed owner left its socket. The directory's lock is ours, so it can be removed.
        match fs::remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                return Err(e).with_context(|| format!("removing the old {shown}"));
            }
            _ => {}
        }
        let listener = UnixListener::bind(&path).with_context(|| format!("making {shown}"))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))
            .with_context(|| format!("closing {shown} to others"))?;
        let user = fs::metadata(&path)
            .with_context(|| format!("looking at {shown}"))?
            .uid();
        Ok(Self {
            listener,
            path,
            user,
        })
    }

    /// Runs the commands of clients until `close`. Then it accepts no more and returns once the
    /// running commands are done. If it is dropped earlier, they are cancelled.
    pub(crate) async fn serve(&self, host: &Host, close: impl Future<Output = ()>) {
        let mut running = FuturesUnordered::new();
        let mut close = std::pin::pin!(close);
        loop {
            tokio::select! {
                biased;
                () = &mut close => break,
                // First, so that there is room for the next client.
                Some(()) = running.next() => {}
                taken = self.listener.accept() => match taken {
                    Ok((stream, _)) if !self.may(&stream) => drop(stream),
                    Ok((stream, _)) if running.len() >= MOST => refuse(&stream),
                    Ok((stream, _)) => running.push(guest(host, stream)),
                    Err(error) => {
                        tracing::warn!(%error, "the admin socket takes no connection");
                        host.node.clock.sleep(PAUSE).await;
                    }
                },
            }
        }
        while running.next().await.is_some() {}
    }

    /// Checks the user, because the umask decides the file's mode between bind and chmod.
    fn may(&self, stream: &UnixStream) -> bool {
        stream
            .peer_cred()
            .is_ok_and(|peer| peer.uid() == self.user || peer.uid() == 0)
    }
}

impl Drop for Admin {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

/// Tells the client that there is no room, as far as the socket's buffer takes the sentence.
fn refuse(stream: &UnixStream) {
    let sentence = format!(
        "threadlore: the owner of the data directory runs {MOST} commands already: try again later"
    );
    for said in [Said::Err(sentence), Said::Exit(exit::NOT_AVAILABLE)] {
        if let Ok(line) = line(&said) {
            stream.try_write(line.as_bytes()).ok();
        }
    }
}

/// One connection, from request to exit code.
async fn guest(host: &Host, stream: UnixStream) {
    let (read, write) = stream.into_split();
    let mut read = BufReader::new(read);
    let asked = match tokio::time::timeout(PATIENCE, request(&mut read)).await {
        Ok(Ok(None)) => return,
        Ok(Ok(Some(request))) => Ok(request),
        Ok(Err(sentence)) => Err(sentence),
        Err(_) => Err(format!("no request came within {} s", PATIENCE.as_secs())),
    };
    let (say, said) = unbounded_channel();
    let out = Output::Guest(say);
    let work = async move {
        let code = match asked {
            Ok(request) => perform(host, request.args, &request.dir, &out).await,
            Err(sentence) => {
                out.say(format!("threadlore: {sentence}"));
                exit::MISUNDERSTOOD
            }
        };
        out.exit(code);
    };
    tokio::select! {
        ((), _) = futures::future::join(work, send(said, write)) => {}
        () = gone(read) => host.tidy().await,
    }
}

/// Parses and runs a command line that was typed in `dir`; returns the exit code.
pub(crate) async fn perform(host: &Host, args: Vec<String>, dir: &Path, out: &Output) -> u8 {
    let args = std::iter::once("threadlore".to_owned()).chain(args);
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            out.say(error.to_string().trim_end());
            return exit::MISUNDERSTOOD;
        }
    };
    let call = Call {
        host,
        out,
        dir,
        json: cli.global.json,
    };
    let done = match cli.command {
        Command::Demo(_) | Command::Standalone(_) | Command::Up(_) => Err(alone(host).into()),
        command => run(command, &call).await,
    };
    done.unwrap_or_else(|error| {
        out.say(exit::sentence(&error));
        exit::code(&error)
    })
}

/// Commands that want the data directory for themselves.
fn alone(host: &Host) -> InUse {
    InUse::by(
        &host.node.settings.data_dir,
        &std::process::id().to_string(),
    )
}

/// Sends all output; stops when the client does not accept it.
async fn send(mut said: UnboundedReceiver<Said>, mut to: OwnedWriteHalf) -> io::Result<()> {
    while let Some(said) = said.recv().await {
        to.write_all(line(&said)?.as_bytes()).await?;
    }
    to.shutdown().await
}

/// Returns when the client has disconnected. Further input of the client is ignored.
async fn gone(mut from: BufReader<OwnedReadHalf>) {
    let mut rest = [0; 64];
    while matches!(from.read(&mut rest).await, Ok(1..)) {}
}
