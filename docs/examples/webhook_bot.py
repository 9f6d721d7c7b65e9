"""Post a message:   python3 webhook_bot.py acme webhook:general MESSAGE_ID AUTHOR_ID "My Wi-Fi is gone."
Take deliveries:  python3 webhook_bot.py"""
import base64, hashlib, hmac, json, os, sys, time, urllib.error, urllib.parse, urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

THREADLORE = os.environ.get("THREADLORE_URL", "http://127.0.0.1:8090")
SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
DONE = {}  # native ids by key, because a delivery may come twice; a real bot keeps them on disk

def sign(call_id, timestamp, body):
    mac = hmac.new(SECRET, f"{call_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()

def post(space, channel, message_id, author, text):
    at = datetime.now(timezone.utc).isoformat()
    body = json.dumps(dict(type="message", id=message_id, author=author, text=text, at=at)).encode()
    path = f"/v1/spaces/{space}/channels/{urllib.parse.quote(channel, safe='')}/events"
    call_id, now = f"call-{time.time_ns()}", str(int(time.time()))
    headers = {"Content-Type": "application/x-ndjson", "webhook-id": call_id,
               "webhook-timestamp": now, "webhook-signature": sign(call_id, now, body)}
    request = urllib.request.Request(THREADLORE + path, body, headers)
    try: print(urllib.request.urlopen(request, timeout=30).read().decode())
    except urllib.error.HTTPError as error: sys.exit(error.read().decode())

class Deliveries(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        key, sent, signatures = (self.headers.get(f"webhook-{n}", "") for n in ("id", "timestamp", "signature"))
        good = [s for s in signatures.split() if hmac.compare_digest(s.encode(), sign(key, sent, body).encode())]
        if not good or abs(time.time() - int(sent)) > 300: return self.send_error(401)
        delivery = json.loads(body)
        if key not in DONE:  # here a real bot posts to its chat, or deletes from it
            print(delivery["type"], delivery["channel"], delivery.get("messages"), delivery.get("native_ids"), flush=True)
            DONE[key] = [f"{key}-{n}" for n, _ in enumerate(delivery.get("messages", []))]
        self.send_response(200), self.end_headers(), self.wfile.write(json.dumps({"native_ids": DONE[key]}).encode())

if len(sys.argv) > 1: sys.exit(post(*sys.argv[1:]))
server = HTTPServer(("127.0.0.1", int(os.environ.get("BOT_PORT", "8091"))), Deliveries)
print(f"deliver_url http://127.0.0.1:{server.server_port}/", flush=True), server.serve_forever()
