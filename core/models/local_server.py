"""The process in which llama.cpp serves the local model: ``python -m core.models.local_server GGUF``.

Prints the server's address as its only line, then lives until its standard input is closed or its parent is gone,
however that ended.
"""

from __future__ import annotations

import os
import select
import sys

#: tokens of prompt and answer together: what the model was trained for (n_ctx_train of its file)
CONTEXT = 8192


def serve(weights: str, threads: int) -> None:
    """Load a GGUF file, serve it on a free port of 127.0.0.1 and print the address; end with the parent."""
    parent = os.getppid()
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = weights
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.n_ctx = CONTEXT
    # One answer at a time: in a batch of several, the sums of a product are taken in another order, and a token may
    # change with what happens to be asked beside it.
    settings.n_parallel = 1
    # Nor is the common beginning of two prompts kept: where the rest is cut into batches would depend on what was
    # asked before (1 of 13 answers changed with their order).
    settings.cache_prompt = False
    settings.cache_ram_mib = 0
    settings.n_gpu_layers = 0
    settings.ui = settings.endpoint_slots = False
    settings.verbosity = 1
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    while os.getppid() == parent and not select.select([sys.stdin], [], [], 1.0)[0]:
        pass
    # the server's own shutdown waits for answers nobody reads any more
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
