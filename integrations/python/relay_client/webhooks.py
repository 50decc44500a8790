"""Checks the signature of a webhook before its body is believed (Standard Webhooks)."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Mapping, Optional

TOLERANCE_S = 5 * 60


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: Optional[float] = None
) -> Any:
    """The event, or ValueError. Pass the body as it arrived: parsing and writing it again changes it."""
    given = {name.lower(): value for name, value in headers.items()}
    message, sent, signed = (
        given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    if message is None or sent is None or signed is None:
        raise ValueError("The webhook is not signed.")
    if not sent.isdigit() or abs((now or time.time()) - int(sent)) > TOLERANCE_S:
        raise ValueError("The webhook is too old, or from the future.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = f"v1,{base64.b64encode(digest).decode()}"
    if not any(hmac.compare_digest(expected, one) for one in signed.split(" ")):
        raise ValueError("The signature of the webhook is wrong.")
    return json.loads(body)
