"""Calls the API. Writes carry an idempotency key, so a call that is repeated has its effect once."""
from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional

from .v1 import Event, Nouns

ATTEMPTS = 4
# Answers after which the same call may succeed: too many requests, or Relay is starting or stopping.
PASSING = frozenset({429, 502, 503, 504})


class ProblemError(Exception):
    """Relay's answer to a call that failed. Use `code` in programs; the message is for people."""

    def __init__(self, status: int, problem: Dict[str, Any], retry_after: Optional[float]) -> None:
        self.status = status
        self.code: str = problem.get("code", "internal")
        self.detail: str = problem.get("detail", f"The server answered with {status}.")
        self.action: Optional[str] = problem.get("action")
        self.reason: Optional[str] = problem.get("reason")
        self.request_id: Optional[str] = problem.get("request_id")
        self.problem = problem
        self.retry_after = retry_after
        super().__init__(self.detail if self.action is None else f"{self.detail} {self.action}")


class RelayClient(Nouns):
    """`relay = RelayClient("http://127.0.0.1:3214", token)`, then `relay.messages.send({...})`."""

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        account: str = "default",
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._root = f"{base_url.rstrip('/')}/api/v1/accounts/{urllib.parse.quote(account, safe='')}"
        self._token = token
        self._timeout = timeout
        self._sleep = sleep
        super().__init__(self._send)

    def pages(self, list_page: Callable[..., Any], *args: Any, **query: Any) -> Iterator[Any]:
        """All items of a list: `for chat in relay.pages(relay.chats.list)`."""
        cursor: Optional[str] = None
        while True:
            page = list_page(*args, cursor=cursor, **query)
            yield from page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def follow_events(
        self, cursor: Optional[str] = None, *, include_text: bool = False
    ) -> Iterator[tuple[Optional[Event], str]]:
        """Events as they happen, each with its cursor. None in place of an event: some are missing.

        The stream begins with new events, or after `cursor`, and reconnects by itself.
        """
        lost = 0
        while True:
            try:
                for event, at in self._stream(cursor, include_text):
                    lost, cursor = 0, at
                    yield event, at
            except ProblemError as error:
                if error.status not in PASSING:
                    raise
            except (OSError, http.client.HTTPException):
                pass
            lost += 1
            self._sleep(_pause(lost, None))

    def _stream(
        self, cursor: Optional[str], include_text: bool
    ) -> Iterator[tuple[Optional[Event], str]]:
        query = "?include_text=true" if include_text else ""
        request = self._request("GET", f"/events{query}")
        request.add_header("Accept", "text/event-stream")
        if cursor is not None:
            request.add_header("Last-Event-ID", cursor)
        with self._open(request) as response:
            fields: Dict[str, List[str]] = {}
            for raw in response:
                line = raw.decode("utf-8").rstrip("\r\n")
                if line != "":
                    name, _, value = line.partition(":")
                    fields.setdefault(name, []).append(value.removeprefix(" "))
                    continue
                at = "".join(fields.get("id", []))
                if fields.get("event") == ["reset"]:
                    yield None, at
                elif "data" in fields:
                    yield json.loads("\n".join(fields["data"])), at
                fields = {}

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Dict[str, Any]] = None,
        body: Any = None,
        key: Optional[str] = None,
        content_type: Optional[str] = None,
        file: bool = False,
    ) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        request = self._request(method, f"{path}?{urllib.parse.urlencode(given)}" if given else path)
        request.add_header("Accept", "*/*" if file else "application/json")
        if method != "GET":
            # One key for all attempts of this call.
            request.add_header("Idempotency-Key", key or str(uuid.uuid4()))
        if content_type is not None:
            request.add_header("Content-Type", content_type)
            request.data = body
        elif body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode("utf-8")
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._open(request) as response:
                    answer = response.read()
                    return answer if file else json.loads(answer)
            except ProblemError as error:
                if error.status not in PASSING or attempt == ATTEMPTS:
                    raise
                self._sleep(_pause(attempt, error.retry_after))
            except (OSError, http.client.HTTPException):
                if attempt == ATTEMPTS:
                    raise
                self._sleep(_pause(attempt, None))

    def _request(self, method: str, path: str) -> urllib.request.Request:
        headers = {"Authorization": f"Bearer {self._token}"}
        return urllib.request.Request(f"{self._root}{path}", method=method, headers=headers)

    def _open(self, request: urllib.request.Request) -> Any:
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            raise _problem(error) from None


def _problem(error: urllib.error.HTTPError) -> ProblemError:
    with error:
        try:
            problem = json.loads(error.read())
        except ValueError:
            problem = {}
    asked = error.headers.get("Retry-After")
    retry_after = float(asked) if asked is not None and asked.isdigit() else None
    return ProblemError(error.code, problem if isinstance(problem, dict) else {}, retry_after)


def _pause(attempt: int, asked: Optional[float]) -> float:
    return min(asked if asked is not None else 0.25 * 2**attempt, 60.0)
