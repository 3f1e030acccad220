"""What the tests of the Datasets page and of the import share."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

#: what must be shown as it is
BAD = "**bold** <img src=x onerror=alert(1)> :red[y] $z$ [l](http://x)"


def asked(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.main.get("html"))


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception, app.exception[0].value
    return app
