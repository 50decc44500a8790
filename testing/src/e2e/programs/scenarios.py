"""Drives the Python client through scenarios.json: `scenarios.py <scenarios> <known values as JSON>`.

Prints one line of JSON for each scenario: its name, and null or what went wrong.
"""
import base64
import json
import re
import sys
from typing import Any

from relay_client import ProblemError, RelayClient


def filled(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: known[found[1]], value)
    if isinstance(value, list):
        return [filled(one, known) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, known) for name, one in value.items()}
    return value


def at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value[int(name)] if name.isdigit() else value[name]
    return value


def holds(expected: Any, actual: Any) -> bool:
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            name in actual and holds(one, actual[name]) for name, one in expected.items()
        )
    return bool(expected == actual)


def follow(relay: RelayClient, step: dict[str, Any]) -> None:
    for event, _ in relay.follow_events(step["from"]):
        if event is not None and event["type"] == step["follow"]:
            return


def take(step: dict[str, Any], known: dict[str, str]) -> Any:
    token = known[f"token_{step.get('as', 'owner')}"]
    relay = RelayClient(known["url"], token, account=step.get("account", "default"))
    if "follow" in step:
        return follow(relay, step)
    noun, verb = step["do"].split(".")
    call = getattr(getattr(relay, noun), verb)
    args = list(step.get("path", {}).values())
    if step.get("pages"):
        return {"data": list(relay.pages(call, *args, **step.get("query", {})))}
    if "body" in step:
        args.append(step["body"])
    if "file" in step:
        args += [base64.b64decode(step["file"]["base64"]), step["file"]["type"]]
    given = {"idempotency_key": step["key"]} if "key" in step else {}
    answer = call(*args, **given, **step.get("query", {}))
    return {"base64": base64.b64encode(answer).decode()} if isinstance(answer, bytes) else answer


def run(written: dict[str, Any], known: dict[str, str]) -> None:
    step = filled(written, known)
    try:
        answer = take(step, known)
    except ProblemError as error:
        if error.code != step.get("error"):
            raise
        return
    if "error" in step:
        raise AssertionError(f"{step['do']} was not refused with {step['error']}: {answer}")
    if "expect" in step and not holds(step["expect"], answer):
        raise AssertionError(f"{step['do']}: {answer} is not {step['expect']}")
    wanted = step.get("contains")
    if wanted is not None and not any(holds(wanted, one) for one in answer["data"]):
        raise AssertionError(f"{step['do']}: no item is {wanted}")
    for name, path in step.get("save", {}).items():
        known[name] = at(answer, path)


def main(file: str, values: str) -> None:
    known = json.loads(values)
    with open(file, encoding="utf-8") as scenarios:
        for name, steps in json.load(scenarios).items():
            try:
                for step in steps:
                    run(step, known)
                failure = None
            except Exception as error:  # Every kind of failure is reported by name.
                failure = f"{type(error).__name__}: {error}"
            print(json.dumps([name, failure]), flush=True)


main(*sys.argv[1:])
