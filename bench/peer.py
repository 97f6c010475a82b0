"""How the Python programs beside this file talk to python-process.ts."""

import json
import sys


def serve(*functions):
    """Obeys one command a line, {"name": arguments} on standard input, and answers each with one line of JSON."""
    commands = {f.__name__: f for f in functions}
    for line in sys.stdin:
        try:
            ((name, arguments),) = json.loads(line).items()
            reply = commands[name](**arguments)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)
