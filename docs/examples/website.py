"""A question box for a website: a visitor asks, reads the answer with what it rests on, and says whether it helped.
THREADLORE_TOKEN=… python3 website.py     (docs/website.md)"""
import functools, html, json, os, secrets, urllib.error, urllib.parse, urllib.request
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SPACE = os.environ.get("THREADLORE_SPACE", "default")
API = os.environ.get("THREADLORE_URL", "http://127.0.0.1:8600") + f"/api/v1/spaces/{SPACE}/questions"
CHANNEL = os.environ.get("THREADLORE_CHANNEL", "web:help")
TOKEN = os.environ["THREADLORE_TOKEN"]  # stays on the server: browsers never see it


def send(method, url, body):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    return json.load(urllib.request.urlopen(request, timeout=15))


def answer(told):
    if told["answer"] is None:
        return f"<p>There is no answer to that yet ({html.escape(told['because'])}).</p>"
    said = f"<blockquote>{html.escape(told['answer'])}</blockquote>"
    lines = [line for case in told["citations"] for line in case["evidence"] if line["text"]]
    said += "".join(f"<p><b>{html.escape(line['name'] or 'somebody')}</b>: {html.escape(line['text'])}</p>" for line in lines)
    buttons = "".join(f"<button name=rating value={value}>{text}</button> "
                      for value, text in (("helped", "This helped"), ("failed", "This did not help")))
    return f"{said}<form method=post action=/rate><input type=hidden name=turn value={told['turn']}>{buttons}</form>"


class Website(BaseHTTPRequestHandler):
    def page(self, said="", status=200):
        body = ("<!doctype html><html lang=en><title>Help</title><meta name=viewport content='width=device-width'>"
                "<h1>Ask us</h1><form method=post action=/ask><label>Your question <input name=question required "
                f"maxlength=2000 size=60></label> <button>Ask</button></form>{said}</html>").encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Set-Cookie", f"visitor={self.visitor}; HttpOnly; SameSite=Lax; Max-Age=31536000")
        self.end_headers()
        self.wfile.write(body)

    @functools.cached_property
    def visitor(self):
        """Who asks: an id of ours, and nothing else of them."""
        known = SimpleCookie(self.headers.get("Cookie", "")).get("visitor")
        return known.value if known and known.value.isalnum() and len(known.value) == 32 else secrets.token_hex(16)

    def do_GET(self):
        self.page() if self.path == "/" else self.page("<p>There is no such page.</p>", 404)

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 65536)).decode())
        field = lambda name: form.get(name, [""])[0]
        try:
            if self.path == "/ask":
                body = dict(channel=CHANNEL, author=self.visitor, id=secrets.token_hex(16), question=field("question"))
                self.page(answer(send("POST", API, body)))
            else:
                turn = urllib.parse.quote(field("turn"), safe="")
                send("PUT", f"{API}/{turn}/rating", dict(author=self.visitor, rating=field("rating")))
                self.page("<p>Thank you.</p>")
        except urllib.error.HTTPError as error:
            self.page(f"<p>{html.escape(json.load(error)['detail'])}</p>", error.code)
        except OSError:
            self.page("<p>The memory does not answer now: try again in a moment.</p>", 503)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Website)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
