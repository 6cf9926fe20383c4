"""Refuses `rm -rf`: pip install standardwebhooks; HOOK_SECRET=whsec_... PORT=8788 python receiver.py

It checks the signature, answers the same question once, and answers in time.
"""

import json
import os
import re
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

MAX_BODY_BYTES = 1024 * 1024
MAX_REMEMBERED = 1000
MARGIN_SECONDS = 0.2
FORCED_DELETE = re.compile(r"\brm\s+(?:-\S+\s+)*-(?:\w*r\w*f|\w*f\w*r)", re.IGNORECASE)

webhook = Webhook(os.environ["HOOK_SECRET"])
workers = ThreadPoolExecutor(max_workers=8)
answers: "OrderedDict[str, Future]" = OrderedDict()
answers_lock = Lock()


def decide(event: dict) -> "dict | None":
    """What is returned is the answer: a decision, or None for no opinion."""
    if event["type"] != "tool.pre":
        return None
    if FORCED_DELETE.search(event["data"]["input"].get("command", "")):
        return {"decision": "deny", "reason": "rm -rf is not allowed here."}
    return None


def answer_once(key: str, event: dict) -> Future:
    with answers_lock:
        if key not in answers:
            answers[key] = workers.submit(decide, event)
            if len(answers) > MAX_REMEMBERED:
                answers.popitem(last=False)
        return answers[key]


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        if length > MAX_BODY_BYTES:
            return self.reply(413)
        body = self.rfile.read(length).decode("utf-8")
        try:
            event = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            return self.reply(401)
        # the body is a part of the key: a gate is asked again, under the same id, when a later hook changed the input
        answer = answer_once(self.headers["webhook-id"] + "\n" + body, event)
        left = int(self.headers["x-agent-hook-deadline"]) / 1000 - time.time() - MARGIN_SECONDS
        try:
            decision = answer.result(timeout=max(0, left))
        except TimeoutError:
            return self.reply(504)
        except Exception:  # a mistake in decide: the hook's failure policy says what that means
            return self.reply(500)
        return self.reply(204) if decision is None else self.reply(200, decision)

    def reply(self, status: int, body: "dict | None" = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8788"))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
