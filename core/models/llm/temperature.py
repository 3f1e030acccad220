"""Which temperature an endpoint takes: some take one alone, some none that is named."""

from __future__ import annotations

from core.models.llm.faults import Fault

#: statuses by which endpoints say that they do not take a parameter
UNKNOWN_PARAMETER = frozenset({400, 422, 501})
_ASKED, _OWN, _NONE = range(3)


class Temperature:
    """Found out once for an endpoint: the one a call asks for, else the settings', else the model's own, unnamed."""

    def __init__(self, own: float) -> None:
        """Begin with what calls ask for; ``own`` is the settings'."""
        self._own = own
        self._level = _ASKED

    def of(self, asked: float) -> float | None:
        """Return what is sent for a call that asks for a temperature, None where none is."""
        return (asked, self._own, None)[self._level]

    def is_refused(self, sent: float | None, fault: Fault) -> bool:
        """Return whether a fault means that the temperature ``sent`` is not taken; the next one is another then."""
        said = fault.reason.casefold()
        if sent is None or fault.status not in UNKNOWN_PARAMETER or "temperature" not in said:
            return False
        # calls that were under way meanwhile say again what is known
        self._level = max(self._level, _NONE if sent == self._own else _OWN)
        return True
