"""A client of Relay's API, version 1. It needs nothing but Python 3.11 or newer."""

from .client import ProblemError, RelayClient
from .webhooks import verify_webhook

__all__ = ["ProblemError", "RelayClient", "verify_webhook"]
