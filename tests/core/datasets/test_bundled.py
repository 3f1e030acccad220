from __future__ import annotations

import pytest

from core.datasets.bundled import bundled_names, bundled_path
from core.datasets.importers import read_dataset
from core.errors import OptionError


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(OptionError) as caught:
        bundled_path("../bundled")
    assert all(name in str(caught.value) for name in bundled_names())


@pytest.mark.parametrize("name", bundled_names())
def test_every_bundled_dataset_reads_and_bears_its_name(name: str) -> None:
    result = read_dataset(bundled_path(name))
    assert result.dataset.card.name == name
    assert (result.skipped, result.notes) == ((), ())
