"""What a browser may choose and never name: models, retrievers and import roots, built in or from the settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.models.encoders import DEFAULT_ENCODER, encoder_spec
from core.services.endpoints import endpoint_choices
from core.settings import trilens_settings


@dataclass(frozen=True, slots=True)
class Choice:
    """``kind`` is "Encoder", "Language model", "Retriever" or "Import root"; ``what`` stands behind the name."""

    kind: str
    name: str
    what: str


def choices() -> tuple[Path, list[Choice]]:
    """Return the settings file and everything it and the product offer to the browser.

    Raises:
        InputError: the settings file cannot be used.
        ModelError: the bundled encoder is missing.
    """
    settings = trilens_settings()
    spec = encoder_spec(DEFAULT_ENCODER)
    bundled = f"bundled; reads {spec.max_tokens} tokens, {spec.pooling} pooling, {spec.dimension} numbers a text"
    return settings.path, [
        Choice("Encoder", DEFAULT_ENCODER, bundled),
        *(Choice("Encoder", name, str(folder)) for name, folder in settings.encoders.items()),
        *(Choice("Language model", one.name, one.problem or one.what) for one in endpoint_choices()),
        *(Choice("Retriever", name, factory) for name, factory in settings.retrievers.items()),
        *(Choice("Import root", name, str(folder)) for name, folder in settings.import_roots.items()),
    ]
